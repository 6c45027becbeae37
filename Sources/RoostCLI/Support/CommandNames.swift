import ArgumentParser

/// Finds the command that the arguments of the process name.
///
/// People abbreviate, misspell, and put `--store` in front of the command. ArgumentParser reports all of this
/// as unexpected arguments; this type understands it, or suggests a command.
struct CommandNames {
    /// The command whose subcommands are searched.
    private let root: any ParsableCommand.Type

    /// The options that can precede each command, with and without a value.
    private static let valueOptions: Set<Substring> = ["--store", "--color"]
    private static let flags: Set<Substring> = ["-q", "--quiet", "-v", "--verbose", "--no-pager"]

    /// The commands that lack some of these options, because they open no store or print no list.
    static let limitedCommands: Set<[String]> = [
        ["model", "list"], ["model", "add"], ["model", "pull"], ["model", "distill"], ["chat", "copy"],
        ["chat", "doctor"], ["embed"], ["config"],
    ]

    /// The minimum number of characters of a word that is compared with the names of commands.
    private static let minimumLength = 3

    /// The names of these options, with their hyphens.
    static var globalOptions: [String] { valueOptions.union(flags).map(String.init).sorted() }

    /// Returns whether an argument is an option that can precede the command, possibly with its value.
    static func isGlobalOption(_ argument: String) -> Bool {
        flags.contains(Substring(argument)) || valueOptions.contains(argument.prefix { $0 != "=" })
    }

    /// Returns whether the value of an option is the next argument.
    static func hasSeparateValue(_ option: String) -> Bool { valueOptions.contains(Substring(option)) }

    init(of root: any ParsableCommand.Type = RoostCommand.self) {
        self.root = root
    }

    /// Returns the arguments in a form that ArgumentParser understands: the canonical names of the command,
    /// then its options and arguments.
    ///
    /// - Throws: `CommandError` with `.usage` if no command has the name, or if options are followed by none.
    func resolved(_ arguments: [String]) throws -> [String] {
        var rest = arguments[...]
        var options: [String] = []
        while let option = rest.first {
            if option == "-V" { return ["--version"] }
            guard Self.isGlobalOption(option) else { break }
            options.append(rest.removeFirst())
            if Self.hasSeparateValue(option) {
                // ArgumentParser does not know the option without a command.
                guard let value = rest.popFirst() else {
                    throw CommandError(.usage, "missing value for \(option); run `roost help`")
                }
                options.append(value)
            }
        }
        guard !rest.isEmpty || options.isEmpty else {
            let advice = options == ["-v"] ? "; run `roost --version` for the version" : "; run `roost help`"
            throw CommandError(.usage, "missing command" + advice)
        }
        guard let first = rest.first else { return arguments }
        // `roost --help query` has the meaning of `roost help query`.
        let isOption = ["-h", "--help"].contains(first) && rest.dropFirst().first?.hasPrefix("-") == false
        guard isOption || !first.hasPrefix("-") else { return arguments }
        let isHelp = isOption || first == "help"
        if isHelp {
            rest.removeFirst()
            // The help depends on no store, and the pager reads the arguments of the process.
            (rest, options) = (Self.withoutGlobalOptions(rest), [])
        }
        let names = try canonicalNames(rest, isHelp: isHelp)
        if isHelp, let extra = rest.dropFirst(names.count).first, !extra.hasPrefix("-") {
            let command = (["help"] + names).joined(separator: " ")
            throw CommandError(
                .usage,
                "unexpected argument '\(Terminal.line(extra, limit: 40))' after the name of a command; run "
                    + "`roost \(command)`")
        }
        // Below `llm`, --store is a flag of the program llm.
        if names.first == "llm" {
            options = options.map { $0.hasPrefix("--store") ? "--database" + $0.dropFirst(7) : $0 }
        }
        // An option for all commands, as in an alias of a shell, is no error where it has no effect.
        if Self.limitedCommands.contains(names) {
            options = Self.effective(options, in: QueryArguments(of: command(at: names)))
        }
        return (isHelp ? ["help"] : []) + names + options + rest.dropFirst(names.count)
    }

    /// Returns the options that a command has, with their values.
    private static func effective(_ options: [String], in known: QueryArguments) -> [String] {
        var rest = options[...]
        var result: [String] = []
        while let option = rest.popFirst() {
            let value = hasSeparateValue(option) ? rest.popFirst() : nil
            guard known.valueOptions.union(known.flags).contains(String(option.prefix { $0 != "=" })) else {
                continue
            }
            result += [option] + (value.map { [$0] } ?? [])
        }
        return result
    }

    /// Returns arguments without the options that can precede a command, and without their values.
    private static func withoutGlobalOptions(_ arguments: ArraySlice<String>) -> ArraySlice<String> {
        var rest = arguments
        var others: [String] = []
        while let argument = rest.popFirst() {
            if !isGlobalOption(argument) {
                others.append(argument)
            } else if hasSeparateValue(argument) {
                _ = rest.popFirst()
            }
        }
        return others[...]
    }

    /// Returns the canonical names of the command that the arguments name; empty if they name none.
    func path(in arguments: [String]) -> [String] {
        guard let resolved = try? resolved(arguments), resolved.first != "help" else { return [] }
        return (try? canonicalNames(resolved[...])) ?? []
    }

    /// Returns the command that canonical names name; the root if there are none.
    func command(at names: [String]) -> any ParsableCommand.Type {
        names.reduce(root) { command, name in
            command.configuration.subcommands.first { $0._commandName == name } ?? command
        }
    }

    /// Returns the canonical names of the command and the subcommands with which the words begin.
    private func canonicalNames(_ words: ArraySlice<String>, isHelp: Bool = false) throws -> [String] {
        var names: [String] = []
        var command = root
        for word in words {
            let children = command.configuration.subcommands
            guard !children.isEmpty, !word.hasPrefix("-"), word != "help" else { break }
            guard
                let child = children.first(where: {
                    $0._commandName == word || $0.configuration.aliases.contains(word)
                })
            else { throw Self.unknown(word, after: names, among: children, isHelp: isHelp) }
            names.append(child._commandName)
            command = child
        }
        return names
    }

    private static func unknown(
        _ word: String, after names: [String], among commands: [any ParsableCommand.Type], isHelp: Bool
    ) -> CommandError {
        let path = names.map { $0 + " " }.joined()
        let help = isHelp ? "help " : ""
        let shown = Terminal.line(word, limit: 40)
        // Topics such as the exit statuses are commands that only the help shows.
        let known = commands.filter { isHelp || $0.configuration.shouldDisplay }.flatMap { command in
            [command._commandName] + command.configuration.aliases
        }
        var message = "unknown command '\(path)\(shown)'; "
        var suggestion = suggestion(for: word, among: known, isFirst: names.isEmpty)
        if isHelp {
            // The help has pages for commands, not for options.
            let words = suggestion?.split(separator: " ").prefix { !$0.hasPrefix("-") } ?? []
            suggestion = words.isEmpty ? nil : words.joined(separator: " ")
        }
        if let suggestion {
            message += "did you mean `roost \(help)\(path)\(suggestion)`?"
        } else if names.isEmpty {
            message += "`roost help` lists all commands, and `roost query \(shown)` searches for the word"
        } else if names == [LLM._commandName], !isHelp, let familiar = FamiliarNames.commands[word] {
            // The program llm has commands that are not below `roost llm`, such as `llm models`.
            message += "did you mean `roost \(familiar)`?"
        } else if names == [ClusterCommand._commandName], !isHelp {
            // People name a cluster, as they name an entry after `roost show`.
            message += "`roost cluster show NAME` shows a cluster"
        } else {
            message += "`roost help \(path.dropLast())` lists its subcommands"
        }
        return CommandError(.usage, message)
    }

    private static func suggestion(for word: String, among known: [String], isFirst: Bool) -> String? {
        let word = word.lowercased()
        if known.contains(word) { return word }
        if isFirst, let familiar = FamiliarNames.commands[word] { return familiar }
        if !isFirst, let familiar = FamiliarNames.subcommand(word, among: known) { return familiar }
        // Words of two letters differ from other ones by more than a typing error, as `rg` from `rm`, but may
        // be the beginning of one.
        return word.count < minimumLength
            ? known.first { $0.hasPrefix(word) } : Suggestion.nearest(to: word, among: known)
    }
}
