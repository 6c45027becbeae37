/// Checks the arguments of the command before they are parsed.
enum ArgumentCheck {
    /// The options for which an empty value is meaningful: it replaces a default that is not empty.
    private static let optionsWithEmptyValue: Set<String> = ["--query-prefix", "--document-prefix"]

    /// Checks that no argument is empty. An empty path would name the current folder, and an empty filter
    /// every entry, when a script uses a variable that is not set.
    ///
    /// - Parameter arguments: The arguments without the name of the program.
    /// - Throws: ``CommandError``.
    static func requireNonemptyValues(_ arguments: [String]) throws {
        var previous: String?
        var hasTerminator = false
        for (index, argument) in arguments.enumerated() {
            defer { previous = argument }
            let option = hasTerminator ? nil : previous.flatMap { $0.hasPrefix("-") ? $0 : nil }
            if argument == "--" { hasTerminator = true }
            if argument.isEmpty {
                guard let option, option != "-", option != "--" else {
                    throw failure("argument \(index + 1) is empty")
                }
                if !optionsWithEmptyValue.contains(option) {
                    throw failure("the value after \(Terminal.line(option, limit: 40)) is empty")
                }
            }
            guard !hasTerminator, argument.hasPrefix("--"), argument.hasSuffix("=") else { continue }
            let name = String(argument.dropLast())
            if !name.contains("="), !optionsWithEmptyValue.contains(name) {
                throw failure("the value of \(Terminal.line(name, limit: 40)) is empty")
            }
        }
    }

    /// Checks that all arguments of the process are valid UTF-8. Swift replaces invalid bytes, so that a
    /// command would store or search for another text than the given one.
    ///
    /// - Throws: ``CommandError``.
    static func requireValidUTF8() throws {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let argument = CommandLine.unsafeArgv[index],
                String(validatingCString: argument) == nil
            else { continue }
            throw CommandError(.badData, "argument \(index) is not valid UTF-8")
        }
    }

    private static func failure(_ fault: String) -> CommandError {
        CommandError(
            .usage, "\(fault); if it comes from a variable of your shell, check that the variable is set")
    }
}
