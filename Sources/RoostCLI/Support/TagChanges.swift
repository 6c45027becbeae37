import ArgumentParser

/// The entries and the changes of tags that the arguments of `roost tag` name: ids and a tag, or ids with
/// `+TAG` and `-TAG` after or before them.
struct TagChanges {
    /// A tag to add or to remove.
    struct Change: Equatable {
        var tag: String
        var isAdded: Bool
    }

    /// The ids and files, as typed.
    let entries: [String]
    /// The changes, in the order of the arguments; at least one.
    let changes: [Change]

    /// Reads the arguments.
    ///
    /// - Parameter removes: Whether the last argument is a tag to remove, even if it begins with + or -.
    /// - Throws: `ValidationError` if there are no entries or no tags, or ids on both sides of a tag.
    init(_ arguments: [String], removes: Bool) throws {
        let signed = removes ? [] : arguments.prefix(while: Self.isChange)
        if !signed.isEmpty, signed.count < arguments.count {
            entries = Array(arguments[signed.endIndex...])
            changes = signed.map(Self.change)
            guard !entries.contains(where: Self.isChange) else {
                throw ValidationError("give +TAG and -TAG either before or after the ids of entries")
            }
            return
        }
        let first = removes ? nil : arguments.indices.dropFirst().first { Self.isChange(arguments[$0]) }
        guard let first else {
            guard arguments.count >= 2, let tag = arguments.last, !tag.isEmpty else {
                throw ValidationError("give one or more ids of entries, then the tag")
            }
            entries = Array(arguments.dropLast())
            changes = [Change(tag: tag, isAdded: !removes)]
            return
        }
        guard arguments[first...].allSatisfy(Self.isChange) else {
            throw ValidationError("give the ids of entries first, then +TAG or -TAG for each tag")
        }
        entries = Array(arguments[..<first])
        changes = arguments[first...].map(Self.change)
    }

    /// Reads the arguments of a command whose options select the entries: only tags with their signs, because
    /// a word without a sign could be an id.
    ///
    /// - Parameter removes: Whether `--remove` is given.
    /// - Throws: `ValidationError` if an argument has no sign, or `--remove` is given.
    init(ofSelection arguments: [String], removes: Bool) throws {
        guard !removes, arguments.allSatisfy(Self.isChange) else {
            throw ValidationError("with options that select entries, give only +TAG and -TAG, without ids")
        }
        entries = []
        changes = arguments.map(Self.change)
    }

    private static func change(_ argument: String) -> Change {
        Change(tag: String(argument.dropFirst()), isAdded: argument.hasPrefix("+"))
    }

    private static func isChange(_ argument: String) -> Bool {
        argument.count > 1 && (argument.hasPrefix("+") || argument.hasPrefix("-"))
    }

    /// Returns whether an argument that is not an option of `roost tag` names a tag to remove.
    ///
    /// - Parameters:
    ///   - followsID: Whether an id precedes the argument.
    ///   - next: The argument that follows.
    private static func isRemoval(_ argument: String, followsID: Bool, before next: String?) -> Bool {
        guard argument.hasPrefix("-"), !argument.hasPrefix("--"), argument.count > 1 else { return false }
        guard argument.count == 2 else { return true }
        // An ASCII letter before the first id, or before a word, is an option that a person mistyped, as in
        // `-d draft`.
        let isLetter = argument.dropFirst().allSatisfy(\.isASCII)
        return !isLetter || followsID && next.map { $0.hasPrefix("+") || $0.hasPrefix("-") } ?? true
    }

    /// Returns the arguments of the process with words such as `-draft`, which ArgumentParser would read as
    /// options, after `--`.
    ///
    /// - Parameter names: The options of `roost tag`.
    static func normalized(_ arguments: [String], _ names: QueryArguments) -> [String] {
        var (options, words): ([String], [String]) = ([], [])
        var rest = arguments[...]
        var hasRemoval = false
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            let isRemoval =
                !names.isOption(argument)
                && isRemoval(argument, followsID: !words.isEmpty, before: rest.first)
            if isRemoval || !argument.hasPrefix("-") {
                words.append(argument)
                hasRemoval = hasRemoval || isRemoval
            } else {
                options.append(argument)
                if names.valueOptions.contains(argument), let value = rest.popFirst() {
                    options.append(value)
                }
            }
        }
        return hasRemoval ? options + ["--"] + words : arguments
    }
}
