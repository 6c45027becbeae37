import Foundation
import RoostFiles

/// Reads messages (RFC 5322, MIME) and mailboxes (mbox).
///
/// A mailbox contains a document for each message, with the message's id as the key.
public struct MailReader: DocumentReader {
    static let message = DocumentType(
        name: "mail", title: "Mail message", extensions: ["eml"], mediaTypes: ["message/rfc822"],
        format: .mail)
    static let mailbox = DocumentType(
        name: "mbox", title: "Mailbox", extensions: ["mbox", "mbx"], mediaTypes: ["application/mbox"],
        format: .mail)

    public let version = 11

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

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        if input.data.isEmpty { throw DocumentError.damaged("the file is empty") }
        return try await BlockingWork.run { isCancelled in
            try withoutActuallyEscaping(isCancelled) { isCancelled in
                try input.data.withUnsafeBytes { bytes in
                    let isMailbox = type == Self.mailbox
                    guard !MailHeaders.exceedLimit(bytes, isMailbox: isMailbox) else {
                        throw DocumentError.limitExceeded(
                            "the headers of a message have more than \(MailHeaders.maximumLength >> 20) MB")
                    }
                    let parser = try MailParser(
                        bytes, limits: input.limits, isMailbox: isMailbox, isCancelled: isCancelled)
                    return try parser.documents(type)
                }
            }
        }
    }
}

/// The headers of messages as lines. Their length is limited, because the parser needs up to a hundred times
/// their memory.
enum MailHeaders {
    /// The maximum number of bytes of all headers of a message, including those of its parts.
    static let maximumLength = 2 << 20

    /// Returns whether the headers of a message in a file are too long.
    ///
    /// Headers begin with the file, in a mailbox after a line that begins with `From `, and after a line that
    /// begins with two hyphens, which can be the boundary of a part. They end with the first line of another
    /// form.
    /// - Complexity: O(length of bytes).
    static func exceedLimit(_ bytes: UnsafeRawBufferPointer, isMailbox: Bool) -> Bool {
        var (start, length, isHeader) = (0, 0, true)
        while start < bytes.count {
            let end = lineEnd(from: start, in: bytes)
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if isMailbox, line.starts(with: "From ".utf8) {
                (length, isHeader) = (0, true)
            } else if line.starts(with: "--".utf8) {
                isHeader = true
            } else if isHeader {
                isHeader = isHeaderLine(line)
                length += line.count
                if length > maximumLength { return true }
            }
            start = end
        }
        return false
    }

    private static func lineEnd(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }

    /// Returns whether a line has a name before a colon, or continues the line before it.
    private static func isHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let first = line.first else { return false }
        if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") { return true }
        let name = line.prefix { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
        return !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == UInt8(ascii: ":")
    }
}
