import Foundation
import RoostFiles

/// Reads messages (RFC 5322, MIME) and mailboxes (mbox).
///
/// A mailbox contains a document for each message, with the message's id as the key. A message follows a line
/// `From ADDRESS DATE` after an empty line.
public struct MailReader: DocumentReader {
    static let message = DocumentType(
        name: "mail", title: "Mail message", extensions: ["eml"], mediaTypes: ["message/rfc822"],
        format: .mail)
    static let mailbox = DocumentType(
        name: "mbox", title: "Mailbox", extensions: ["mbox", "mbx"], mediaTypes: ["application/mbox"],
        format: .mail)

    public let version = 13

    public let types = [Self.message, Self.mailbox]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        let start = String(decoding: input.data.prefix(4096), as: UTF8.self)
        var lines = start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let isMailbox = lines.first?.hasPrefix("From ") ?? false
        if isMailbox { lines.removeFirst() }
        var names: Set<String> = []
        for line in lines {
            if line.isEmpty { break }
            if line.first == " " || line.first == "\t" { continue }
            guard let colon = line.firstIndex(of: ":") else {
                // The prefix may end within a line.
                if line.endIndex == start.endIndex { break }
                return nil
            }
            let name = line[..<colon]
            guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
            names.insert(name.lowercased())
        }
        if isMailbox { return names.contains("from") || names.contains("date") ? Self.mailbox : nil }
        let isTransmitted = !names.isDisjoint(with: ["received", "return-path", "message-id", "mime-version"])
        return isTransmitted && names.contains("from") && names.count >= 3 ? Self.message : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        if input.data.isEmpty { throw DocumentError.damaged("the file is empty") }
        return try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                try input.data.withUnsafeBytes { bytes in
                    var parser = try MailParser(bytes, limits: input.limits, isCancelled: isCancelled)
                    return type == Self.mailbox ? try parser.mailbox() : [try parser.message()]
                }
            }
        }
    }
}
