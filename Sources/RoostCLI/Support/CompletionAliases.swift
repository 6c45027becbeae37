import ArgumentParser

/// The other names of commands, such as `search` for `query`, which the scripts of ArgumentParser do not
/// offer.
struct CompletionAliases {
    /// A command with subcommands that have other names.
    struct Group: Equatable {
        /// The names of the command, from that of the program on.
        var path: [String]
        /// The other names of each subcommand.
        var aliases: [String: [String]]

        /// The name of the function that completes the command in bash and zsh.
        var function: String { "_" + path.joined(separator: "_") }
    }

    /// The commands, the program first.
    let groups: [Group]

    init(groups: [Group]) { self.groups = groups }

    /// Finds the names in a command and its subcommands.
    init(of command: any ParsableCommand.Type) {
        groups = Self.groups(of: command, at: [command._commandName])
    }

    private static func groups(of command: any ParsableCommand.Type, at path: [String]) -> [Group] {
        let children = command.configuration.subcommands
        let named = children.filter { !$0.configuration.aliases.isEmpty }
        let aliases = named.map { ($0._commandName, $0.configuration.aliases) }
        let group = Group(path: path, aliases: Dictionary(aliases) { first, _ in first })
        return (named.isEmpty ? [] : [group])
            + children.flatMap { groups(of: $0, at: path + [$0._commandName]) }
    }

    /// The other names of the commands of the program.
    var ofCommands: [String] { names { $0.path.count == 1 } }
    /// The other names of subcommands.
    var ofSubcommands: [String] { names { $0.path.count > 1 } }

    private func names(_ isIncluded: (Group) -> Bool) -> [String] {
        Set(groups.filter(isIncluded).flatMap { $0.aliases.values.joined() }).sorted()
    }

    /// Returns a script that offers the names, too. Lines of another form are returned unchanged.
    func added(to script: String, for shell: CompletionShell) -> String {
        var group: Group?
        var lines: [String] = []
        for text in script.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = String(text)
            if line.hasSuffix("() {") { group = groups.first { $0.function + "() {" == line } }
            switch shell {
            case .bash: lines.append(group.map { Self.bash(line, $0) } ?? line)
            case .zsh: lines += [line] + (group.map { Self.zsh(line, $0) } ?? [])
            case .fish: lines += [line] + fish(line)
            default: lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a line of bash with the other names of the commands that it offers.
    private static func bash(_ line: String, _ group: Group) -> String {
        let start = "COMPREPLY+=($(compgen -W '"
        let end = "' -- \"${cur}\"))"
        guard line.contains(start), line.hasSuffix(end) else { return line }
        let aliases = group.aliases.values.joined().sorted()
        return line.dropLast(end.count) + aliases.map { " " + $0 }.joined() + end
    }

    /// Returns the lines of zsh with the other names of the command that a line describes. The shell shows
    /// names with equal descriptions side by side.
    private static func zsh(_ line: String, _ group: Group) -> [String] {
        let start = line.prefix { $0 == " " } + "'"
        guard line.hasPrefix(start), let colon = line.firstIndex(of: ":") else { return [] }
        let name = String(line[..<colon].dropFirst(start.count))
        return (group.aliases[name] ?? []).map { start + $0 + line[colon...] }
    }

    /// Returns the lines of fish with the other names of the command that a line offers.
    private func fish(_ line: String) -> [String] {
        for group in groups {
            let start = "\"\(group.path.joined(separator: " "))\" -eq 1' -fa '"
            guard let range = line.firstRange(of: start),
                let end = line[range.upperBound...].firstIndex(of: "'")
            else { continue }
            let aliases = group.aliases[String(line[range.upperBound..<end])] ?? []
            return aliases.map { line[..<range.upperBound] + $0 + line[end...] }
        }
        return []
    }
}
