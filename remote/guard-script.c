/* SPDX-License-Identifier: Apache-2.0 */
#include "guard-script.h"

/* The lock is a folder. While the file `open` is in it, programs may start. A program writes its
 * process group to the lock and then checks that `open` exists; the guard removes `open` and then
 * reads the group. So at least one of the two sees the other.
 * The guard takes over a lock from an earlier boot, or one whose guard is gone. Another session may
 * do this at the same time, so it first moves the lock away and checks that the holder is still the
 * one that it has read.
 * Printing to a connection that was just lost raises SIGPIPE.
 * Some shells have no `read -t`: there only the end of the connection ends the program. */
static const char guard_text[] =
    "umask 077\n"
    "cd && mkdir -p \"$1\" && cd \"$1\" || exit 73\n"
    "lock=.strobe-lock who=$2 boot= n=0 beat=\n"
    "read -r boot </proc/sys/kernel/random/boot_id\n"
    "end_group() {\n"
    "    g=; read -r g 2>/dev/null <$1/group\n"
    "    [ -n \"$g\" ] && kill -s TERM -- -$g 2>/dev/null || return 0\n"
    "    i=0\n"
    "    while [ $i -lt 20 ]; do\n"
    "        kill -s 0 -- -$g 2>/dev/null || return 0\n"
    "        sleep 0.1 2>/dev/null || { sleep 1; i=$((i + 9)); }\n"
    "        i=$((i + 1))\n"
    "    done\n"
    "    kill -s KILL -- -$g 2>/dev/null\n"
    "}\n"
    "take_over() {\n"
    "    mv $lock $lock.$$ 2>/dev/null || return 0\n"
    "    b2= p2= w2=; read -r b2 p2 w2 2>/dev/null <$lock.$$/holder\n"
    "    if [ \"$b2 $p2\" != \"$b $p\" ]; then mv $lock.$$ $lock; return 0; fi\n"
    "    [ \"$b\" != \"$boot\" ] || end_group $lock.$$\n"
    "    rm -rf $lock.$$\n"
    "}\n"
    "until mkdir $lock 2>/dev/null; do\n"
    "    [ -d $lock ] || { mkdir $lock; exit 73; }\n"
    "    b= p= w=; read -r b p w 2>/dev/null <$lock/holder\n"
    "    if [ -n \"$p\" ] && { [ \"$b\" != \"$boot\" ] ||\n"
    "        ! grep -q strobe-guard /proc/$p/cmdline 2>/dev/null; }; then take_over; continue; fi\n"
    "    if [ $n -ge 5 ]; then\n"
    "        [ -n \"$p\" ] || { take_over; n=0; continue; }\n"
    "        echo busy $p $w; exit 75\n"
    "    fi\n"
    "    n=$((n + 1)); sleep 1\n"
    "done\n"
    "finish() {\n"
    "    trap '' HUP INT TERM PIPE\n"
    "    rm -f $lock/open; end_group $lock\n"
    "    [ ! -f $lock/mount ] || { read -r m <$lock/mount; umount \"$m\"; }\n"
    "    rm -rf $lock\n"
    "    here=$(pwd -P); cd /; rmdir \"$here\" \"${here%/*}\" 2>/dev/null\n"
    "    exit 0\n"
    "}\n"
    "trap finish HUP INT TERM PIPE\n"
    "echo \"$boot $$ $who\" >$lock/holder && true >$lock/open || { rm -rf $lock; exit 73; }\n"
    "(echo | read -t 1 x) 2>/dev/null && beat='-t 30'\n"
    "echo ready $(pwd -P)\n"
    "while read $beat -r word rest; do\n"
    "    case $word in\n"
    "    beat)\n"
    "        now= up=\n"
    "        [ ! -r /proc/timer_list ] || while read -r a b c d; do\n"
    "            [ \"$a $b\" != 'now at' ] || { now=$c; break; }\n"
    "        done </proc/timer_list\n"
    "        read -r up x </proc/uptime\n"
    "        echo beat $rest $up $now ;;\n"
    "    end) end_group $lock </dev/null >/dev/null 2>&1 & ;;\n"
    "    esac\n"
    "done\n"
    "finish\n";

/* Makes the channel's process the leader of a process group with setsid, if the server has not done
 * so. */
static const char program_text[] = "cd \"$1\" || exit 73\n"
                                   "read -r a b c d g e </proc/$$/stat\n"
                                   "[ \"$g\" = $$ ] && new= || new=setsid\n"
                                   "exec $new sh -c \"$2\" strobe-program\n";

/* Stands before the command of the program in the same script. */
static const char start_text[] =
    "echo $$ >.strobe-lock/group && [ -e .strobe-lock/open ] || exit 75\n";

static char *make_command(const char *script, const char *name, const char *first,
                          const char *second)
{
    g_autofree char *text = g_shell_quote(script);
    g_autofree char *one = g_shell_quote(first);
    g_autofree char *two = g_shell_quote(second);

    return g_strdup_printf("exec sh -c %s %s %s %s", text, name, one, two);
}

char *strobe_guard_command(const char *folder, const char *holder)
{
    return make_command(guard_text, "strobe-guard", folder, holder);
}

char *strobe_guard_program_command(const char *folder, const char *line)
{
    g_autofree char *start = g_strconcat(start_text, line, NULL);

    return make_command(program_text, "strobe-start", folder, start);
}
