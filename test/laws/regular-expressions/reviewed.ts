/** Expressions that are not proven linear, each with the reason why no text from others can make it slow. */
export const REVIEWED: Readonly<Record<string, string>> = {
  '/\\/+$/': 'the address that the hoster or the user of the SDK has set',
  '/[.-]+$/': 'of a name of at most 64 characters',
  '/\\.?0+$/': 'digits of a number of ours',
  '/0+$/': 'digits of a number of ours',
  '/\\b(?:restart|reload|start)\\s{1,9}(?:the\\s{1,9})?(?:service\\s{1,9})?[`\'"]?([a-z0-9][\\w.@-]{0,63})/i':
    'bounded: no place in a message is looked at more than some hundred times',
  '/\\b([a-z0-9][\\w.@-]{0,63})(?:\\s{1,9}service\\b|\\.service\\b)/i': 'bounded likewise',
  '/\\b(run|execute)\\b[^`]{0,200}`[^`]+`/i':
    'bounded likewise before the first backtick; what follows it is read once for each of these 200 places',
  '/^(incus_disk_\\w+)\\{([^}\\n]*)\\} ([0-9.e+-]+)$/gm':
    'begins at the start of a line and has no two parts that take the same character',
  '/^incus_cpu_seconds_total\\{([^}\\n]*)\\} ([0-9.e+-]+)$/gm':
    'begins at the start of a line and has no two parts that take the same character',
  '/^flags\\s*:.*\\b(svm|vmx)\\b/m': "the kernel's own text: /proc/cpuinfo",
  '/^\\s*(<\\?xml[^>]*>\\s*)?(<!--(?:(?!-->)[\\s\\S])*-->\\s*)*<svg[\\s>]/':
    "the hoster's own file, read at the start; a comment ends at its first -->, so there is one way to read it",
  '/^(?:(?:Id|Names|Description|LoadState|ActiveState|SubState|UnitFileState|MainPID|NRestarts|Result|ExecMainStatus|ExecMainCode|MemoryCurrent|CPUUsageNSec|TasksCurrent|ActiveEnterTimestamp|InactiveEnterTimestamp|StateChangeTimestamp)(?:,|$))+$/':
    'each name ends with a comma, so there is one way to read a list',
  '/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|PuTTY-User-Key-File|^b3BlbnNzaC1rZXktdjE/': 'bounded',
  '/^(tcp|udp) .* src=\\S+ dst=(\\S+) sport=\\d+ dport=(\\d+) .*?src=(\\S+) dst=\\S+ sport=(\\d+) dport=\\d+/':
    "a line of the kernel's own text, which has some two hundred characters: conntrack's list",
  '/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/':
    'at most 253 characters, and each label ends with its dot',
  '/^(postgres(?:ql)?:\\/\\/)([^/?#]*@)?([^/?#]*)(.*)$/': "the hoster's own setting",
  '/^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$/u':
    'of names of at most 64 characters; the length is checked first',
  '/^[^\\p{C}]*[^\\p{C}\\s][^\\p{C}]*$/u': 'of lines of at most 100 characters; the length is checked first',
  '/^vendor_id\\s*:\\s*(\\S+)/m': "the kernel's own text: /proc/cpuinfo",
  '/^[ -~]{0,1024}$/': 'one class, at most 1024 times, from the start',
  '/vk(?:_|%5f)[0-9a-z]{20,}/gi': 'what begins a match cannot stand within one',
  '/\\b(bearer)\\s+[^\\s"\',;]{16,}/gi': 'blanks and the rest have no character in common',
  '/a.*x|-e|-A/': 'the flags of the simulated `ps`, cut to a few characters',
  '/^s(.)(.*?)\\1(.*?)\\1(g?)$/': 'the script of the simulated `sed`, at most 500 characters',
  '/:(\\d{1,5}) > \\S{1,60} protocol: (tcp|udp)\\b.{0,200}?packets: (\\d{1,6}) size: (\\d{1,6}) bytes/g':
    'bounded',
  '/^(?:Incoming|Total incoming) ([a-z ]{1,80}): (\\d{1,12})\\b/gm': 'bounded',
  '/^Average packet size for incoming traffic: (\\d{1,6}(?:\\.\\d+)?)/m':
    'at the start of a line, and digits only',
};
/** Files that build expressions from parts, with a description of the parts. */
export const BUILDERS: Readonly<Record<string, string>> = {
  'cli/src/names.ts': 'a prefix of ours and 26 characters',
  'server/agent/runbook/service-recipes.ts': 'words, one after the other',
  'server/compute/incus/readings.ts': 'a label of ours, and what stands between two quotes',
  'server/compute/qemu/host/privileged-launcher.ts': 'the pattern of ids, at most 63 characters of one class',
  'server/compute/qemu/routed/sentinel.ts': "lines of the kernel's own text, from their start",
  'server/domain/agent/policy/network.ts':
    'filters of `ss`: words with one blank between them, and each begins with another word',
  'server/edge/nftables/probe.ts': 'the pattern of devices, at most 15 characters of one class',
  'server/http/routes.ts': 'segments, each of which ends at its slash',
  'server/platform/peer/json-rows.ts': 'the last 64 bytes before a list, with a name of ours',
  'server/platform/redaction.ts':
    'what begins a match, a name or `://`, cannot stand within the repeated part, or a match always succeeds there',
  'server/screens/text-console/bounded-terminal.ts':
    'one class; runs of it are cut before the others look at them',
};
