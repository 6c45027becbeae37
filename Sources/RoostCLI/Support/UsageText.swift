import ArgumentParser

/// Words the usage errors of ArgumentParser like all other messages: one clause in lower case, followed by
/// the next step.
enum UsageText {
    /// Returns a message in the form of the other messages of the command.
    ///
    /// - Parameters:
    ///   - text: The message of ArgumentParser, or of a `ValidationError`.
    ///   - command: The names of the command, such as `["cluster", "list"]`; empty for the root command.
    static func message(_ text: String, command: [String]) -> String {
        // ArgumentParser adds other explanations of an unknown option, which contradict the first one.
        let typed = String(firstCause(of: text))
        var text = reworded(typed)
        if let option = unknownOption(in: typed), !text.contains("; ") {
            text += adviceOnOption(option, command)
        }
        if text.hasSuffix(".") { text.removeLast() }
        let second = text.dropFirst().first
        if second?.isLowercase == true { text = text.prefix(1).lowercased() + text.dropFirst() }
        if text.hasPrefix("unexpected argument '") || text.contains(" unexpected arguments: '") {
            text += adviceOnArgument[command].map { "; " + $0 } ?? ""
        }
        if command == ["add"], text == "missing argument <text>" {
            text += "; `roost add -` reads it from standard input"
        }
        if command == ["import"], text == "missing argument <FILE>" {
            text += "; `roost import -` reads standard input"
        }
        // Advice in the message is more specific than the help.
        guard !text.contains("; ") else { return text }
        return "\(text); run `\((["roost", "help"] + command).joined(separator: " "))`"
    }

    /// The next steps after an unexpected argument, by the names of commands.
    private static let adviceOnArgument = [
        ["list"]: "`roost query` searches for words, --source selects a file or folder, and a value of "
            + "several words needs quotes",
        ["count"]: "--by names a property, as in `roost count --by tag`; --tag, --where and --source select "
            + "entries",
        ["folders"]: "`roost add-folder` adds a folder, and `roost remove-folder` removes one",
        ["import"]: "import one file at a time",
        ["export", "entries"]: "-o names the file to write, and --source selects a file or folder",
        ["export", "clusters"]: "-o names the file to write",
        ["watch"]: "`roost add-folder` adds a folder to those that are watched",
    ]

    /// Returns the option that a message of ArgumentParser reports as unknown.
    private static func unknownOption(in text: String) -> String? {
        text.firstMatch(of: /^Unknown option '(?<name>[^']*)'/).map { String($0.name) }
    }

    /// Returns the next step after an unknown option, with the delimiter before it; empty if no step
    /// is known.
    private static func adviceOnOption(_ option: String, _ command: [String]) -> String {
        let name = String(option.prefix { $0 != "=" })
        if command.isEmpty {
            let known = (CommandNames.globalOptions + ["--help", "--version"]).map(\.withoutHyphens)
            if let similar = Suggestion.nearest(to: name.withoutHyphens, among: known) {
                return "; did you mean '--\(similar)'?"
            }
            let shown = Terminal.line(name, limit: 40)
            return "; give options after the name of the command, as in `roost list \(shown)`"
        }
        if command == ["ingest"], ["-r", "-R", "--recursive"].contains(name) {
            return "; folders are always read with all folders below them"
        }
        if command == ["list"], ["--count", "-c"].contains(name) { return "; `roost count` counts entries" }
        let type = CommandNames().command(at: command)
        let owner = type.configuration.subcommands.first { subcommand in
            let known = QueryArguments(of: subcommand)
            return known.valueOptions.union(known.flags).contains(name)
        }
        if let owner {
            let example = (["roost"] + command + [owner._commandName, name]).joined(separator: " ")
            return "; give options after the name of the subcommand, as in `\(example)`"
        }
        let known = QueryArguments(of: type)
        return FamiliarNames.option(name, among: known.valueOptions.union(known.flags))
            .map { "; did you mean '\($0)'?" } ?? ""
    }

    /// Returns a message up to its alternatives.
    private static func firstCause(of text: String) -> Substring {
        text.firstRange(of: #/\s+or: /#).map { text[..<$0.lowerBound] } ?? text[...]
    }

    private static func reworded(_ text: String) -> String {
        if let match = text.wholeMatch(
            of: /The value '(?<value>[\s\S]*?)' is invalid for '(?<name>[^']*)'(?<rest>[\s\S]*)/)
        {
            let value = Terminal.line(String(match.value), limit: 60)
            let name = optionName(match.name)
            let isTemplate = name == "--format" && value.contains("{") && match.rest.contains("template")
            return "invalid value '\(value)' for \(name)"
                + (isTemplate ? "; use --template '\(value)'" : advice(match.rest))
        }
        if let match = text.wholeMatch(of: /Missing value for '(?<name>[^']*)'/) {
            return "missing value for \(optionName(match.name))"
        }
        if let match = text.wholeMatch(of: /Missing expected argument '(?<name>[^']*)'/) {
            // Three dots follow the name of an argument that can be repeated.
            let name = match.name.hasSuffix(" ...") ? match.name.dropLast(4) : match.name
            return "missing argument \(name)"
        }
        if let match = text.wholeMatch(
            of: /Can't generate completion scripts for '(?<shell>[^']*)'\.\s[\s\S]*/)
        {
            let shell = Terminal.line(String(match.shell), limit: 40)
            return "cannot generate a completion script for '\(shell)'; use bash, zsh or fish"
        }
        if let match = text.wholeMatch(
            of: /Unknown option '(?<name>[\s\S]*)'\. Did you mean '(?<known>[^']*)'\?/)
        {
            // ArgumentParser also suggests options that have few letters in common with the word.
            let (name, known) = (String(match.name), String(match.known))
            let isSimilar = Suggestion.nearest(to: name.withoutHyphens, among: [known.withoutHyphens]) != nil
            return "unknown option '\(name)'" + (isSimilar ? "; did you mean '\(known)'?" : "")
        }
        return text
    }

    /// Returns the name of an option without the placeholder of its value, or the placeholder of an argument.
    private static func optionName(_ text: Substring) -> Substring {
        text.hasPrefix("-") ? text.prefix { $0 != " " } : text
    }

    /// Returns the list of permitted values, or the cause, that ends a message about an invalid value.
    private static func advice(_ rest: Substring) -> String {
        if let match = rest.wholeMatch(of: /\. Please provide one of the following:(?<values>[\s\S]*)/) {
            let values = match.values.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "-" } }
            return "; use " + values.dropLast().joined(separator: ", ") + " or \(values.last ?? "")"
        }
        if let match = rest.wholeMatch(of: /\. Please provide one of (?<values>[\s\S]*)\./) {
            return "; use " + match.values.replacing("'", with: "").replacing(" and ", with: " or ")
        }
        return String(rest)
    }
}

extension String {
    /// The name of an option without the hyphens before it.
    fileprivate var withoutHyphens: String { String(drop { $0 == "-" }) }
}
