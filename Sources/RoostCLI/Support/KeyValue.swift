enum KeyValue {
    /// Parses pairs.
    ///
    /// - Parameter option: The name of the option, for the error message.
    static func parse(_ pairs: [String], option: String) throws -> [(key: String, value: String)] {
        try pairs.map { pair in
            guard let separator = pair.firstIndex(of: "="), separator != pair.startIndex else {
                throw CommandError(
                    .usage, "\(option) must have the form key=value, not '\(Terminal.line(pair, limit: 60))'")
            }
            return (String(pair[..<separator]), String(pair[pair.index(after: separator)...]))
        }
    }
}
