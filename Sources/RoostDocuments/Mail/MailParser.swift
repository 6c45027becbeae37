import CGMime
import CGMimeLoader
import Foundation
import RoostModel
import RoostText

struct MailParser {
    private let bytes: UnsafeRawBufferPointer
    private let limits: DocumentLimits
    private let isCancelled: () -> Bool
    private var keys: [String: Int] = [:]

    private static let initialized: Void = g_mime_init()

    init(
        _ bytes: UnsafeRawBufferPointer, limits: DocumentLimits, isCancelled: @escaping () -> Bool
    ) throws {
        if let reason = roost_gmime_load() {
            throw DocumentError.missingProgram(
                "GMime, which reads mail, cannot be loaded: \(String(cString: reason)) "
                    + "(Debian and Ubuntu: apt install libgmime-3.0-0)")
        }
        Self.initialized
        (self.bytes, self.limits, self.isCancelled) = (bytes, limits, isCancelled)
    }

    func message() throws -> Document { try message(in: 0..<bytes.count) }

    /// Returns the messages of a mailbox in order. A message that cannot be read is a fault.
    mutating func mailbox() throws -> DocumentContents {
        var contents = DocumentContents([])
        var (size, number) = (0, 0)
        for part in MailboxParts(bytes) {
            if isCancelled() { throw CancellationError() }
            number += 1
            let position = "message \(number) (line \(part.line))"
            guard contents.documents.count < limits.maximumParts, size <= 4 * limits.maximumTextBytes else {
                contents.faults.append(
                    .init(
                        position: position,
                        reason: "it and the messages after it exceed a limit; split the mailbox"))
                contents.isComplete = false
                break
            }
            do {
                var document = try message(in: part.range)
                document.key = key(of: document)
                document.text = Self.withoutEscapes(document.text)
                size += document.text.utf8.count
                contents.documents.append(document)
            } catch let error as DocumentError {
                contents.faults.append(.init(position: position, reason: "\(error)"))
            }
        }
        if contents.documents.isEmpty, let fault = contents.faults.first {
            throw DocumentError.damaged("\(fault.position): \(fault.reason)")
        }
        return contents
    }

    private func message(in range: Range<Int>) throws -> Document {
        let part = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let joined = EncodedWords.joined(inHeaderOf: part) else { return try message(part) }
        return try joined.withUnsafeBytes { try message($0) }
    }

    private func message(_ part: UnsafeRawBufferPointer) throws -> Document {
        guard let length = guint(exactly: part.count),
            let stream = roost_mime_stream(part.baseAddress, length),
            let options = g_mime_parser_options_new(), let parser = g_mime_parser_new_with_stream(stream)
        else { throw DocumentError.damaged("the message cannot be parsed") }
        defer {
            roost_mime_release(parser)
            roost_mime_release_stream(stream)
            g_mime_parser_options_free(options)
        }
        g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE)
        // Headers without a declared encoding are in UTF-8 or, by older programs, in windows-1252.
        "utf-8".withCString { first in
            "windows-1252".withCString { second in
                var names: [UnsafePointer<CChar>?] = [first, second, nil]
                g_mime_parser_options_set_fallback_charsets(options, &names)
            }
        }
        let message = g_mime_parser_construct_message(parser, options)
        defer { message.map { roost_mime_release($0) } }
        let document = try message.map {
            try MailMessage(message: $0, body: MailBody(limits: limits, isCancelled: isCancelled)).document()
        }
        guard let document, document.title != nil || !document.metadata.isEmpty || document.createdAt != nil
        else {
            throw DocumentError.damaged("it contains no message with a header")
        }
        return document
    }

    /// Returns a text without the `>` that mailboxes insert before `From` at the beginning of a line.
    private static func withoutEscapes(_ text: String) -> String {
        guard text.contains(">From ") else { return text }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { $0.drop { $0 == ">" }.hasPrefix("From ") && $0.first == ">" ? $0.dropFirst() : $0 }
            .joined(separator: "\n")
    }

    /// Returns the key of a message in its mailbox: its id, or a key computed from its date, subject and
    /// sender. A number makes the keys of copies unique.
    private mutating func key(of document: Document) -> String {
        var key = document.metadata["message-id"]?.string ?? ""
        if key.isEmpty {
            let date = document.createdAt.map { "\($0.timeIntervalSince1970)" } ?? ""
            let author = document.metadata["from"]?.string ?? ""
            let text = date + "\n" + (document.title ?? "") + "\n" + author
            key = "message-" + String(FNV1a.hash(of: text.utf8), radix: 16)
        }
        keys[key, default: 0] += 1
        let count = keys[key, default: 1]
        return count == 1 ? key : "\(key) (\(count))"
    }
}

/// Encoded words of headers in base64 (RFC 2047). GMime decodes adjacent words together, and ends at the padding of the
/// first one.
private enum EncodedWords {
    // Several threads can use a regular expression.
    nonisolated(unsafe) private static let run =
        #/(?:=\?[^?\s]+\?[bB]\?[A-Za-z0-9+\/=]*\?=\s+)+=\?[^?\s]+\?[bB]\?[A-Za-z0-9+\/=]*\?=/#
    /// The maximum number of bytes of a header that is changed.
    private static let maximumLength = 1 << 18

    /// Returns a message whose adjacent words in the same encoding are one word; `nil` if none has padding before
    /// another word.
    static func joined(inHeaderOf message: UnsafeRawBufferPointer) -> Data? {
        let header = message.prefix(maximumLength)
        let end = header.indices.first { index in
            header[index...].starts(with: "\n\n".utf8) || header[index...].starts(with: "\n\r\n".utf8)
        }
        // In Latin-1, each byte is a character.
        guard let end, let text = String(bytes: header[..<end], encoding: .isoLatin1), text.contains("=?="),
            let joined = text.replacing(run, with: { joinedWords($0.output) }).data(using: .isoLatin1)
        else { return nil }
        return joined + message[end...]
    }

    private static func joinedWords(_ run: Substring) -> String {
        var words: [(charset: Substring, content: Data)] = []
        for word in run.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: "?", omittingEmptySubsequences: false)
            guard parts.count == 5, let content = Data(base64Encoded: String(parts[3])) else {
                return String(run)
            }
            if words.last?.charset.lowercased() == parts[1].lowercased() {
                words[words.count - 1].content += content
            } else {
                words.append((parts[1], content))
            }
        }
        return words.map { "=?\($0.charset)?B?\($0.content.base64EncodedString())?=" }.joined(separator: " ")
    }
}

/// The messages of a mailbox: each follows a line `From ADDRESS DATE`, which begins the file or follows an empty line.
private struct MailboxParts: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    /// The offset after the separator of the next message, and the number of its line.
    private var following: (start: Int, line: Int)?

    // Mailing lists write addresses such as `ann at example.org`. Several threads can use a regular expression.
    nonisolated(unsafe) private static let separator =
        #/From \S*(?: at \S+)? *\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .*\d\d?:\d\d.*\b(?:19|20)\d\d\b.*/#
    private static let maximumSeparatorLength = 1000

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        let isSeparator = bytes.starts(with: "From ".utf8)
        following = bytes.isEmpty ? nil : isSeparator ? (end(ofLineAt: 0), 2) : (0, 1)
    }

    mutating func next() -> (range: Range<Int>, line: Int)? {
        guard let (first, firstLine) = following else { return nil }
        var (start, line, isAfterEmptyLine) = (first, firstLine, false)
        while start < bytes.count {
            let end = end(ofLineAt: start)
            if isAfterEmptyLine, isSeparator(start..<end) {
                following = (end, line + 1)
                return (first..<start, firstLine)
            }
            isAfterEmptyLine = bytes[start] == 0x0A || bytes[start] == 0x0D && end - start == 2
            (start, line) = (end, line + 1)
        }
        following = nil
        return (first..<start, firstLine)
    }

    private func isSeparator(_ line: Range<Int>) -> Bool {
        guard bytes[line].starts(with: "From ".utf8), line.count <= Self.maximumSeparatorLength else {
            return false
        }
        let text = String(decoding: bytes[line], as: UTF8.self).trimmingCharacters(in: .newlines)
        return text.wholeMatch(of: Self.separator) != nil
    }

    private func end(ofLineAt start: Int) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }
}

private struct MailMessage {
    let message: UnsafeMutablePointer<GMimeMessage>
    let body: MailBody

    func document() throws -> Document {
        if let part = g_mime_message_get_mime_part(message) { try body.read(part, depth: 0) }
        let subject = g_mime_message_get_subject(message).map { MarkdownText.singleLine(String(cString: $0)) }
        let title = subject.flatMap { $0.isEmpty ? nil : $0 }
        if title == nil && body.text.isEmpty && body.isEncrypted { throw DocumentError.encrypted }
        // A message does not change after it was sent, although its file can be copied.
        // A message that has only an attachment or is encrypted is found by its subject.
        var document = Document(
            title: title, text: body.text.isEmpty ? title ?? "" : body.text, format: .mail,
            links: body.links, createdAt: date, updatedAt: date, unreadParts: body.unreadParts)
        document.metadata = metadata
        if date == nil { document.unclearDate = header("Date") }
        return document
    }

    private var date: Date? {
        g_mime_message_get_date(message).map { Date(timeIntervalSince1970: Double(g_date_time_to_unix($0))) }
    }

    private var metadata: [String: MetadataValue] {
        var metadata: [String: MetadataValue] = [:]
        let senders = Self.addresses(g_mime_message_get_from(message))
        if let sender = senders.first { metadata["from"] = .string(sender) }
        let recipients = [
            ("to", g_mime_message_get_to(message)), ("cc", g_mime_message_get_cc(message)),
            ("bcc", g_mime_message_get_bcc(message)),
        ]
        for (name, list) in recipients {
            let addresses = Self.addresses(list)
            if !addresses.isEmpty { metadata[name] = .array(addresses.map { .string($0) }) }
        }
        let id = g_mime_message_get_message_id(message).map { String(cString: $0) } ?? ""
        if !id.isEmpty { metadata["message-id"] = .string(id) }
        let parents = references("In-Reply-To")
        if let parent = parents.last { metadata["in-reply-to"] = .string(parent) }
        let references = references("References")
        if !references.isEmpty { metadata["references"] = .array(references.map { .string($0) }) }
        // The first message of a conversation has no references, so its own id names the thread.
        if let thread = references.first ?? parents.first ?? (id.isEmpty ? nil : id) {
            metadata["thread"] = .string(thread)
        }
        if let list = header("List-Id") { metadata["list"] = .string(list) }
        if !body.attachments.isEmpty {
            metadata["attachments"] = .array(body.attachments.map { .string($0) })
        }
        return metadata
    }

    private func header(_ name: String) -> String? {
        guard let value = g_mime_object_get_header(roost_mime_object(message), name) else { return nil }
        let text = MarkdownText.singleLine(String(cString: value))
        return text.isEmpty ? nil : text
    }

    /// Returns the ids in a header; only the last 100 if there are more.
    private func references(_ name: String) -> [String] {
        guard let value = header(name), let list = g_mime_references_parse(nil, value) else { return [] }
        defer { g_mime_references_free(list) }
        let count = g_mime_references_length(list)
        return (max(0, count - 100)..<count).compactMap { index in
            g_mime_references_get_message_id(list, index).map { String(cString: $0) }
        }
    }

    /// Returns the addresses of a list with their names; only the first 200 if there are more.
    private static func addresses(_ list: UnsafeMutablePointer<InternetAddressList>?) -> [String] {
        guard let list else { return [] }
        return (0..<min(internet_address_list_length(list), 200)).compactMap { index in
            guard let address = internet_address_list_get_address(list, index),
                let text = internet_address_to_string(address, nil, 0)
            else { return nil }
            defer { g_free(text) }
            let value = MarkdownText.singleLine(String(cString: text))
            return value.isEmpty ? nil : value
        }
    }
}
