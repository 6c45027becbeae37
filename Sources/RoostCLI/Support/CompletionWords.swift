import ArgumentParser

/// Converts an unfinished command line into one that the completion scripts understand.
///
/// The scripts know only the canonical names of commands, and options only after them. If a line begins in
/// another way, they call `roost ---completion-words INDEX WORD...`, which prints ``lines``.
struct CompletionWords {
    /// The option with which the scripts call the program.
    static let option = "---completion-words"
    /// The last line, so that a shell does not remove an empty line before it.
    private static let end = "."
    /// A command that has only the options of all commands.
    private static let plainCommand = Watch._commandName

    /// The result.
    enum Result: Equatable {
        /// The words of the line, of which the last one is completed.
        case words([String])
        /// The words that the shell offers.
        case names([String])
    }

    /// The words up to the one that is completed, without the name of the program.
    let words: [String]

    /// Creates the conversion of a line.
    ///
    /// - Parameter arguments: The index of the word that is completed, from 0 for the program, and the words.
    init(_ arguments: some Collection<String>) {
        let index = arguments.first.flatMap { Int($0) } ?? 0
        let words = Array(arguments.dropFirst(2).prefix(max(0, index)))
        self.words = words.count < index ? words + [""] : words
    }

    /// The words from which scripts call the program, if one of them is the first word of a line.
    static var starts: [String] {
        ["help"] + CompletionAliases(of: RoostCommand.self).ofCommands
    }

    /// The result for the line.
    var result: Result {
        var before = words.dropLast()[...]
        let current = words.last ?? ""
        var options: [String] = []
        while let option = before.first, CommandNames.isGlobalOption(option) {
            options.append(before.removeFirst())
            guard CommandNames.hasSeparateValue(option) else { continue }
            // Bash separates words at an equals sign.
            if before.first == "=" { before.removeFirst() }
            guard let value = before.popFirst() else { return .words([Self.plainCommand, option, current]) }
            options.append(value)
        }
        guard let first = before.first else {
            return .words((current.hasPrefix("-") ? [Self.plainCommand] : []) + [current])
        }
        if first == "help" { return .names(Self.topics(below: before.dropFirst())) }
        // Between an option and its value, the options would be taken for the value.
        var names = CommandNames().path(in: Array(before))
        if names.isEmpty { names = [Self.child(first, of: RoostCommand.self)?._commandName ?? first] }
        return .words(names + options + before.dropFirst(names.count) + [current])
    }

    /// The lines that are printed: `words` or `names`, these, and a full stop.
    var lines: [String] {
        switch result {
        case .words(let words): ["words", "roost"] + words + [Self.end]
        case .names(let names): ["names"] + names + [Self.end]
        }
    }

    private static func child(
        _ name: String, of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first {
            $0._commandName == name || $0.configuration.aliases.contains(name)
        }
    }

    /// Returns the names of the commands and topics below a command.
    private static func topics(below names: some Sequence<String>) -> [String] {
        var command: any ParsableCommand.Type = RoostCommand.self
        for name in names {
            guard let next = child(name, of: command) else { return [] }
            command = next
        }
        return command.configuration.subcommands.flatMap { [$0._commandName] + $0.configuration.aliases }
    }
}
