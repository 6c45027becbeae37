import ArgumentParser
import Foundation

/// Asks the user for confirmation before a command makes extensive changes.
enum Confirmation {
    /// The maximum length of an answer in bytes.
    private static let maximumLength = 256

    /// The maximum number of entries or messages that a command removes without a confirmation, few enough to
    /// review them in the output of `--dry-run`.
    private static let maximumUnconfirmed = 20

    /// Returns whether a command may remove entries or messages. For many of them, the user must confirm it.
    ///
    /// - Parameters:
    ///   - count: The number of entries or messages.
    ///   - things: The things that are removed, such as "entries of missing files".
    ///   - isConfirmed: Whether the user gave `--yes`.
    static func permitsRemoval(of count: Int, _ things: String, isConfirmed: Bool) throws -> Bool {
        guard count > maximumUnconfirmed, !isConfirmed else { return true }
        guard isPossible else {
            throw CommandError(
                .usage,
                "cannot remove \(count) \(things) without confirmation; use --yes to remove them, or "
                    + "--dry-run to only report them")
        }
        return try ask("remove \(count) \(things)?")
    }

    /// Ends the command unless it may remove messages (``permitsRemoval(of:_:isConfirmed:)``).
    static func requireRemoval(of count: Int, isConfirmed: Bool, _ options: StoreOptions) throws {
        guard try !permitsRemoval(of: count, "messages", isConfirmed: isConfirmed) else { return }
        options.note("nothing was removed")
        throw ExitCode(ExitStatus.nothingFound.rawValue)
    }

    /// Whether a user at a terminal can see a question and answer it.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && Terminal.isErrorTerminal }

    static func ask(_ question: String) throws -> Bool {
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n"), answer.count < maximumLength {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // Ctrl-C is handled by another thread, so a blocking read would not notice it.
            guard poll(&input, 1, 100) > 0 else { continue }
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
