import ArgumentParser

/// Finds the command that the arguments of the process name.
///
/// People abbreviate, misspell, and put `--store` in front of the command. ArgumentParser reports all of this
/// as unexpected arguments; this type understands it, or suggests a command.
struct CommandNames {
    /// The command whose subcommands are searched.
    private let root: any ParsableCommand.Type

    /// The options of every command that can also precede the command, with and without a value.
    private static let valueOptions: Set<Substring> = ["--store", "--color"]
    private static let flags: Set<Substring> = ["-q", "--quiet", "-v", "--verbose"]

    /// Words that other programs use, with the command that does the same.
    private static let synonyms = [
        "delete": "remove", "del": "remove", "cat": "show", "get": "show", "view": "show", "grep": "query",
        "ask": "query", "new": "init", "create": "init", "status": "stats", "info": "stats",
        "check": "doctor", "repair": "doctor --repair", "settings": "config", "label": "cluster label",
        "merge": "cluster merge", "restore": "backup restore", "verify": "backup verify",
        "snapshot": "backup create", "version": "--version", "install": "model add",
        "pull": "model pull", "remember": "add", "dedupe": "duplicates",
    ]

    init(of root: any ParsableCommand.Type = RoostCommand.self) {
        self.root = root
    }

    /// Returns the arguments in a form that ArgumentParser understands: the canonical names of the command,
    /// then its options and arguments.
    ///
    /// - Throws: `CommandError` with `.usage` if no command has the name.
    func resolved(_ arguments: [String]) throws -> [String] {
        var rest = arguments[...]
        var options: [String] = []
        while let option = rest.first {
            let name = option.prefix { $0 != "=" }
            if option == "-V" { return ["--version"] }
            guard Self.flags.contains(Substring(option)) || Self.valueOptions.contains(name) else { break }
            options.append(rest.removeFirst())
            if Self.valueOptions.contains(Substring(option)), let value = rest.popFirst() {
                options.append(value)
            }
        }
        guard let first = rest.first, !first.hasPrefix("-") else { return arguments }
        let isHelp = first == "help"
        if isHelp { rest.removeFirst() }
        let names = try canonicalNames(rest)
        return (isHelp ? ["help"] : []) + names + options + rest.dropFirst(names.count)
    }

    /// Returns the canonical names of the command and the subcommands with which the words begin.
    private func canonicalNames(_ words: ArraySlice<String>) throws -> [String] {
        var names: [String] = []
        var command = root
        for word in words {
            let children = command.configuration.subcommands
            guard !children.isEmpty, !word.hasPrefix("-"), word != "help" else { break }
            guard
                let child = children.first(where: {
                    $0._commandName == word || $0.configuration.aliases.contains(word)
                })
            else { throw Self.unknown(word, after: names, among: children) }
            names.append(child._commandName)
            command = child
        }
        return names
    }

    private static func unknown(
        _ word: String, after names: [String], among commands: [any ParsableCommand.Type]
    ) -> CommandError {
        let path = names.map { $0 + " " }.joined()
        let shown = Terminal.line(word, limit: 40)
        let known = commands.filter { $0.configuration.shouldDisplay }.flatMap { command in
            [command._commandName] + command.configuration.aliases
        }
        var message = "unknown command '\(path)\(shown)'; "
        if let suggestion = suggestion(for: word, among: known, isFirst: names.isEmpty) {
            message += "did you mean `roost \(path)\(suggestion)`?"
        } else if names.isEmpty {
            message += "`roost help` lists all commands, and `roost query \(shown)` searches for the word"
        } else {
            message += "`roost help \(path.dropLast())` lists its subcommands"
        }
        return CommandError(.usage, message)
    }

    private static func suggestion(for word: String, among known: [String], isFirst: Bool) -> String? {
        let word = word.lowercased()
        if known.contains(word) { return word }
        if isFirst, let synonym = synonyms[word] { return synonym }
        let begun = known.filter { word.count >= 3 && $0.hasPrefix(word) }
        if begun.count == 1 { return begun[0] }
        let limit = word.count < 5 ? 1 : 2
        return known.map { ($0, distance(Array(word), Array($0))) }
            .filter { $0.1 <= limit && $0.1 < word.count }.min { $0.1 < $1.1 }?.0
    }

    /// Returns the number of inserted, deleted, replaced and swapped characters between two words (optimal
    /// string alignment).
    ///
    /// - Complexity: O(product of the lengths); long words differ from all commands without a comparison.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard abs(left.count - right.count) <= 2, !left.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for (i, letter) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (letter == other ? 0 : 1))
                if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
