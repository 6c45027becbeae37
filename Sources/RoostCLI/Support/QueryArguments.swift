import ArgumentParser
import Foundation
import Roost

/// Separates the options of a search command from the query.
///
/// People type queries without quotes, and queries contain words that look like options:
/// `git commit --amend`, `planets -saturn`. In front of `--`, only the command's own options are options;
/// everything else is the query. After `--`, everything is text. A text that is stored is different: in front
/// of `--`, each word with the form of a long option must be an option, and so must a hyphen and a letter at
/// its beginning, because a mistyped option would become a part of the text.
struct QueryArguments {
    /// The arguments of a command, divided into options and words.
    private struct Parts {
        var options: [String] = []
        var words: [String] = []
        /// The names of the words before `--` that have the form of a long option.
        var unknownOptions: [String] = []
        /// Whether the last argument is an option that needs a value.
        var lacksValue = false
    }

    /// The names of the options that have a value, with their hyphens.
    private(set) var valueOptions: Set<String> = []
    /// The names of the flags.
    private(set) var flags: Set<String> = []

    /// The commands whose arguments are a query or a text, by the names with which they are called.
    static let commands: [(path: [String], type: any ParsableCommand.Type, isQuery: Bool)] = [
        (["query"], Query.self, true), (["pick"], Pick.self, true),
        (["chat", "search"], ChatCommand.SearchChats.self, true),
        (["add"], Add.self, false),
    ]

    /// The options of the commands that people call most, by their path: those with a value, and flags.
    /// Reading them from the command itself takes 10 ms, a tenth of the time of a query.
    static let listed: [String: (valueOptions: String, flags: String)] = [
        "query": (
            """
            --batch --cluster --color --context --format --limit --min-score --min-similarity --mode --not \
            --offset --since --source --store --tag --template --text-weight --until --where -n
            """,
            """
            --all --diverse --exact --exact-words --explain --fold --help --json --jsonl --newest --no-pager \
            --null --open --quiet --raw --verbose -0 -h -l -q -v
            """
        ),
        "chat search": (
            """
            --agent --color --context --limit --mode --not --session --since --store --tokens --until \
            --user -n
            """,
            """
            --all --exact-words --explain --help --json --jsonl --no-pager --quiet --recent --verbose -h -q -v
            """
        ),
        "add": (
            "--color --key --meta --store --tag",
            "--help --no-pager --quiet --verbose -h -q -v"
        ),
    ]

    /// The parts of the description of a command that `--experimental-dump-help` prints.
    private struct Description: Decodable {
        struct Command: Decodable {
            var arguments: [Argument]?
        }

        struct Argument: Decodable {
            var kind: String
            var names: [Name]?
        }

        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var command: Command
    }

    /// Uses an element of ``listed``.
    init(listing names: (valueOptions: String, flags: String)) {
        valueOptions = Set(names.valueOptions.split(separator: " ").map(String.init))
        flags = Set(names.flags.split(separator: " ").map(String.init))
    }

    /// Reads the options of a command.
    init(of command: any ParsableCommand.Type) {
        let data = Data(command._dumpHelp().utf8)
        guard let description = try? JSONDecoder().decode(Description.self, from: data) else {
            preconditionFailure("the description of the command \(command) cannot be decoded")
        }
        flags = ["-h", "--help"]
        for argument in description.command.arguments ?? [] {
            let names = (argument.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
            if argument.kind == "option" { valueOptions.formUnion(names) }
            if argument.kind == "flag" { flags.formUnion(names) }
        }
    }

    /// Returns the arguments of the process in a form that ArgumentParser understands: for a search command,
    /// the options, `--`, and the words of the query. Operators in words after `--` are escaped. The words of
    /// a text that is added need no quotes either.
    ///
    /// - Parameter note: Receives a message for each word of a query that is probably a mistyped option.
    static func normalized(
        _ arguments: [String], note: (String) -> Void = { Terminal.error($0) }
    ) -> [String] {
        for command in commands where arguments.starts(with: command.path) {
            let names =
                listed[command.path.joined(separator: " ")].map { QueryArguments(listing: $0) }
                ?? QueryArguments(of: command.type)
            let parts = names.parts(
                Array(arguments.dropFirst(command.path.count)), isQuery: command.isQuery)
            if !parts.options.contains(where: { ["-q", "--quiet"].contains($0) }) {
                names.mistypedOptions(parts).forEach(note)
            }
            // ArgumentParser reports an option without a value. A `--` after it would be the value.
            guard !parts.lacksValue else { return command.path + parts.options }
            return command.path + parts.options + ["--"] + parts.words
        }
        let arguments = ConfigurationCommand.normalized(arguments)
        // In `roost tag`, a hyphen and one character can name a tag to remove.
        let length = arguments.first == TagCommand._commandName ? 2 : 3
        guard arguments.contains(where: { isShortOption($0) && $0.count >= length }) else {
            return arguments
        }
        let path = CommandNames().path(in: arguments)
        let names = QueryArguments(of: CommandNames().command(at: path))
        let rest = names.separated(Array(arguments.dropFirst(path.count)))
        return path + (path == [TagCommand._commandName] ? TagChanges.normalized(rest, names) : rest)
    }

    /// Returns whether an argument begins with one hyphen, as options of one letter do.
    private static func isShortOption(_ argument: String) -> Bool {
        argument.hasPrefix("-") && !argument.hasPrefix("--")
    }

    /// Returns whether an argument is an option of the command, possibly with its value.
    func isOption(_ argument: String) -> Bool {
        isKnown(argument.prefix { $0 != "=" }) || joinedNumber(argument) != nil || isCombination(argument)
    }

    /// Returns the arguments of a command with combined options of one letter, such as `-qn5`, as separate
    /// ones.
    private func separated(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.first, argument != "--" {
            rest.removeFirst()
            result += combined(argument) ?? [argument]
            // The value of an option can have the form of an option.
            if let last = result.last, valueOptions.contains(last), let value = rest.popFirst() {
                result.append(value)
            }
        }
        return result + rest
    }

    /// Returns the options in an argument that consists of flags of one letter and an option with a value,
    /// which can follow as a number, such as `-qn` or `-qn5`; `nil` for other arguments.
    private func combined(_ argument: String) -> [String]? {
        guard Self.isShortOption(argument) else { return nil }
        let flags = argument.dropFirst().prefix { self.flags.contains("-\($0)") }
        let rest = argument.dropFirst(1 + flags.count)
        guard !flags.isEmpty, let option = rest.first, valueOptions.contains("-\(option)"),
            rest.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return flags.map { "-\($0)" } + ["-\(option)"] + (rest.count > 1 ? [String(rest.dropFirst())] : [])
    }

    /// Returns a message for each word of a query that is similar to an option.
    private func mistypedOptions(_ parts: Parts) -> [String] {
        let known = valueOptions.union(flags).filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
            .sorted()
        return parts.unknownOptions.prefix(Terminal.maximumListedItems).compactMap { name in
            // An option of another program can have a name that differs little from an unrelated one of ours.
            let meant =
                FamiliarNames.option(name, among: valueOptions.union(flags))
                ?? (name.hasPrefix("--")
                    ? Suggestion.nearest(to: String(name.dropFirst(2)), among: known).map { "--\($0)" } : nil)
            return meant.map {
                "'\(Terminal.line(name, limit: 60))' is not an option (did you mean \($0)?); searching for "
                    + "it as text"
            }
        }
    }

    /// Divides arguments into options and words.
    ///
    /// - Parameter isQuery: Whether the words are a query, which has operators, and not a text to store.
    private func parts(_ arguments: [String], isQuery: Bool) -> Parts {
        var parts = Parts()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                parts.words += Array(rest)
                // After `--`, a hyphen is text; a hyphen alone would stand for standard input.
                if parts.words == ["-"] { parts.words = ["- "] }
                break
            }
            let name = argument.prefix { $0 != "=" }
            if valueOptions.contains(argument) {
                parts.options.append(argument)
                let value = rest.popFirst()
                parts.lacksValue = value == nil
                if let value { parts.options.append(value) }
            } else if flags.contains(argument) || (argument.hasPrefix("--") && isKnown(name)) {
                parts.options.append(argument)
            } else if let joined = joinedNumber(argument) {
                parts.options += joined
            } else if isCombination(argument) {
                parts.options.append(argument)
            } else if let combined = combined(argument), argument.last?.isNumber == true {
                parts.options += combined
            } else if !isQuery,
                Self.isLongOption(name) || parts.words.isEmpty && Self.isLetterOption(argument)
            {
                // ArgumentParser reports the unknown option.
                parts.options.append(argument)
            } else {
                // A letter with a number, such as -k 3, is rarely a part of a query.
                let isLetter = Self.isLetterOption(argument) && rest.first.map(Self.isNumber) == true
                if isLetter || Self.isLongOption(name) { parts.unknownOptions.append(String(name)) }
                parts.words.append(argument)
            }
        }
        return parts
    }

    /// Returns whether a word has the form of a long option: two hyphens, a letter, and then letters, digits
    /// and hyphens.
    private static func isLongOption(_ name: Substring) -> Bool {
        // A regular expression would be compiled at each start, which takes a millisecond.
        let rest = name.dropFirst(2)
        return name.hasPrefix("--") && rest.first.map(Self.isLetter) == true
            && rest.allSatisfy { Self.isLetter($0) || $0 == "-" || $0.isASCII && $0.isNumber }
    }

    /// Returns whether a word is a hyphen and a letter. At the beginning of a text, it is probably an option.
    private static func isLetterOption(_ word: String) -> Bool {
        word.count == 2 && word.first == "-" && word.last.map(Self.isLetter) == true
    }

    private static func isLetter(_ character: Character) -> Bool {
        character.isASCII && character.isLetter
    }

    private static func isNumber(_ word: String) -> Bool {
        !word.isEmpty && word.allSatisfy { $0.isASCII && $0.isNumber }
    }

    private func isKnown(_ name: Substring) -> Bool {
        valueOptions.contains(String(name)) || flags.contains(String(name))
    }

    /// Returns an option with a number, such as `-n5`, as two arguments.
    private func joinedNumber(_ argument: String) -> [String]? {
        let (name, number) = (String(argument.prefix(2)), argument.dropFirst(2))
        guard argument.hasPrefix("-"), valueOptions.contains(name), !number.isEmpty,
            number.allSatisfy({ $0.isASCII && $0.isNumber })
        else { return nil }
        return [name, String(number)]
    }

    /// Returns whether an argument consists of several flags of one letter, such as `-lq`.
    private func isCombination(_ argument: String) -> Bool {
        argument.count > 2 && argument.hasPrefix("-") && !argument.hasPrefix("--")
            && argument.dropFirst().allSatisfy { flags.contains("-\($0)") }
    }
}
