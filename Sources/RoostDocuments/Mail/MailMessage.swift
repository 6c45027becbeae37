import CGMime
import Foundation
import RoostModel

/// The conversion of one message to a document.
final class MailMessage {
    private let message: UnsafeMutablePointer<GMimeMessage>
    private let limits: DocumentLimits
    private let body: MailBody

    init(
        _ message: UnsafeMutablePointer<GMimeMessage>, limits: DocumentLimits,
        isCancelled: @escaping () -> Bool
    ) {
        self.message = message
        self.limits = limits
        body = MailBody(limits: limits, isCancelled: isCancelled)
    }

    /// Returns the document.
    ///
    /// - Throws: ``DocumentError/encrypted`` if the message has only an encrypted body and no subject.
    func document(_ type: DocumentType) throws -> Document {
        if let part = g_mime_message_get_mime_part(message) { try body.read(part, depth: 0) }
        let subject = g_mime_message_get_subject(message).map { MarkdownText.singleLine(String(cString: $0)) }
        let title = subject.flatMap { $0.isEmpty ? nil : $0 }
        if title == nil && body.text.isEmpty && body.isEncrypted { throw DocumentError.encrypted }
        // A message does not change after it was sent, although its file can be copied.
        // A message that has only an attachment or is encrypted is found by its subject.
        var document = Document(
            type: type, title: title, text: body.text.isEmpty ? title ?? "" : body.text, format: .mail,
            links: body.links, createdAt: date, updatedAt: date, unreadParts: body.unreadParts)
        document.metadata = metadata
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
