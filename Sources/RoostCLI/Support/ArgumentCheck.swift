/// Checks the arguments of the command before they are parsed.
enum ArgumentCheck {
    /// The options for which an empty value is meaningful: it replaces a default that is not empty.
    private static let optionsWithEmptyValue: Set<String> = ["--query-prefix", "--document-prefix"]

    /// Checks that no argument is empty. An empty path would name the current folder, and an empty filter
    /// every entry, when a script uses a variable that is not set.
    ///
    /// - Parameter arguments: The arguments without the name of the program.
    static func requireNonemptyValues(_ arguments: [String]) throws {
        for (index, argument) in arguments.enumerated() {
            let name = argument.isEmpty ? arguments[max(0, index - 1)] : String(argument.dropLast())
            let isEmpty =
                argument.isEmpty
                || argument.hasPrefix("--") && argument.hasSuffix("=") && !name.contains("=")
            guard isEmpty, !optionsWithEmptyValue.contains(name) else { continue }
            throw CommandError(
                .usage,
                "argument \(index + 1) is empty or has an empty value; if it comes from a variable of your "
                    + "shell, check that the variable is set")
        }
    }

    /// Checks that all arguments of the process are valid UTF-8. Swift replaces invalid bytes, so that a
    /// command would store or search for another text than the given one.
    static func requireValidUTF8() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            throw CommandError(.badData, "argument \(index) is not valid UTF-8")
        }
    }
}
