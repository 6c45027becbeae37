import Foundation

/// Asks the user for confirmation before a command makes extensive changes.
enum Confirmation {
    /// The maximum length of an answer in bytes.
    private static let maximumLength = 256

    /// Whether a user at a terminal can see a question and answer it.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isErrorTerminal }

    /// Prints a question on standard error, and returns whether the user answers `y` or `yes`.
    ///
    /// - Throws: `CancellationError` after Ctrl-C.
    static func ask(_ question: String) throws -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n"), answer.count < maximumLength {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // The signal handler runs on another thread, so a blocking read would not notice Ctrl-C.
            guard poll(&input, 1, 100) != 0 else { continue }
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            answer.append(byte)
        }
        let text = String(decoding: answer, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return ["y", "yes"].contains(text.lowercased())
    }
}
