import CGMime
import Foundation
import RoostModel

/// The text of a message, and its parts that are not read.
final class MailBody {
    private(set) var text = ""
    /// The links in the HTML parts.
    private(set) var links: [DocumentLink] = []
    /// The names of the attachments.
    private(set) var attachments: [String] = []
    /// The parts that are not read, as messages.
    private(set) var unreadParts: [String] = []
    /// Whether a part is encrypted.
    private(set) var isEncrypted = false

    private let limits: DocumentLimits
    private let isCancelled: () -> Bool
    private var parts = 0

    init(limits: DocumentLimits, isCancelled: @escaping () -> Bool) {
        self.limits = limits
        self.isCancelled = isCancelled
    }

    /// Reads a part and the parts that it contains.
    func read(_ object: UnsafeMutablePointer<GMimeObject>, depth: Int) throws {
        parts += 1
        if isCancelled() { throw CancellationError() }
        guard depth <= limits.maximumDepth, parts <= limits.maximumParts else {
            if unreadParts.last?.hasPrefix("parts that are nested") != true {
                unreadParts.append(
                    "parts that are nested more than \(limits.maximumDepth) levels deep, or that follow the "
                        + "first \(limits.maximumParts) parts")
            }
            return
        }
        if roost_mime_is_encrypted(object) != 0 {
            isEncrypted = true
            unreadParts.append("the text is encrypted")
        } else if roost_mime_is_multipart(object) != 0 {
            try readMultipart(object, depth: depth)
        } else if roost_mime_is_message(object) != 0 {
            try readMessage(object, depth: depth)
        } else if roost_mime_is_part(object) != 0 {
            try readPart(object)
        }
    }

    private func readMultipart(_ object: UnsafeMutablePointer<GMimeObject>, depth: Int) throws {
        let multipart = roost_mime_multipart(object)
        let children = (0..<g_mime_multipart_get_count(multipart)).compactMap {
            g_mime_multipart_get_part(multipart, $0)
        }
        guard Self.isType(object, "multipart", "alternative") else {
            for child in children { try read(child, depth: depth + 1) }
            return
        }
        let plain = children.first { Self.isType($0, "text", "plain") }
        let rich = children.last { !Self.isType($0, "text", "calendar") && $0 != plain }
        guard let plain, let rich else {
            if let part = rich ?? plain { try read(part, depth: depth + 1) }
            return
        }
        let content = Self.content(of: plain, limits: limits)
        try read(content.contains { !$0.isWhitespace } ? plain : rich, depth: depth + 1)
    }

    private func readMessage(_ object: UnsafeMutablePointer<GMimeObject>, depth: Int) throws {
        guard let message = g_mime_message_part_get_message(roost_mime_message_part(object)) else { return }
        let subject = g_mime_message_get_subject(message).map { String(cString: $0) } ?? ""
        append("---------- \(MarkdownText.singleLine(subject)) ----------")
        if let part = g_mime_message_get_mime_part(message) { try read(part, depth: depth + 1) }
    }

    private func readPart(_ object: UnsafeMutablePointer<GMimeObject>) throws {
        let part = roost_mime_part(object)
        let type = Self.typeName(object)
        let name = g_mime_part_get_filename(part).map { MarkdownText.singleLine(String(cString: $0)) }
        if type == "application/pkcs7-mime", name?.hasSuffix(".p7m") ?? true {
            isEncrypted = true
            unreadParts.append("the text is encrypted or signed with S/MIME")
            return
        }
        guard Self.isReadable(object, type, hasName: name != nil), g_mime_part_is_attachment(part) == 0 else {
            // A cryptographic signature is not an attachment for people.
            guard !type.hasSuffix("-signature") else { return }
            attachments.append(name ?? type)
            unreadParts.append("attachment \(name ?? "without a name") (\(type))")
            return
        }
        let content = Self.content(of: object, limits: limits)
        if type == "text/html" {
            guard content.contains(where: { !$0.isWhitespace }) else { return }
            let xml = try XMLPull(html: Data(content.utf8), encoding: "UTF-8", isCancelled: isCancelled)
            let converter = MarkupConverter(xml, limits: limits)
            try converter.convert()
            links += converter.links
            append(converter.output.text)
        } else {
            append(Self.unfolded(content, object))
        }
    }

    /// The types of texts for programs.
    private static let dataTypes: Set = [
        "text/calendar", "text/css", "text/csv", "text/directory", "text/javascript", "text/rfc822-headers",
        "text/rtf", "text/tab-separated-values", "text/vcard", "text/x-vcard", "text/xml",
    ]

    /// Returns whether a part is text for people. Texts of other types are read as plain text (RFC 2046) if
    /// they have no name, such as the body of a message. Invalid types, such as `text`, are text to GMime.
    private static func isReadable(
        _ object: UnsafeMutablePointer<GMimeObject>, _ type: String, hasName: Bool
    ) -> Bool {
        guard roost_mime_is_text(object) != 0 else { return false }
        if ["text/plain", "text/html", "text/markdown", "text/enriched"].contains(type) { return true }
        return !hasName && !dataTypes.contains(type) && !type.contains("html")
    }

    /// Appends the text of a part after an empty line.
    private func append(_ part: String) {
        var content = Self.withLineFeeds(part)
        while content.last == "\n" { content.removeLast() }
        guard content.contains(where: { !$0.isWhitespace }) else { return }
        guard text.utf8.count + content.utf8.count <= limits.maximumTextBytes else {
            unreadParts.append("text after \(limits.maximumTextBytes) bytes")
            return
        }
        if text.isEmpty { text = content } else { text += "\n\n" + content }
    }

    /// Returns a text with a line feed for each line break of any kind.
    private static func withLineFeeds(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            let isBreak = Character(scalar).isNewline
            if !(isAfterReturn && scalar == "\n") {
                result.unicodeScalars.append(isBreak ? "\n" : scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return result
    }

    private static func isType(
        _ object: UnsafeMutablePointer<GMimeObject>, _ type: String, _ subtype: String
    ) -> Bool {
        guard let content = g_mime_object_get_content_type(object) else { return false }
        return g_mime_content_type_is_type(content, type, subtype) != 0
    }

    private static func typeName(_ object: UnsafeMutablePointer<GMimeObject>) -> String {
        guard let content = g_mime_object_get_content_type(object),
            let name = g_mime_content_type_get_mime_type(content)
        else { return "text/plain" }
        defer { g_free(name) }
        return String(cString: name).lowercased()
    }

    /// Returns the text of a part, decoded from its transfer encoding and character set.
    ///
    /// GMime would replace the characters of unknown character sets, so ``MailCharset`` decodes the bytes.
    private static func content(
        of object: UnsafeMutablePointer<GMimeObject>, limits: DocumentLimits
    ) -> String {
        guard roost_mime_is_part(object) != 0,
            let wrapper = g_mime_part_get_content(roost_mime_part(object)),
            let stream = g_mime_stream_mem_new()
        else { return "" }
        defer { roost_mime_release(stream) }
        g_mime_data_wrapper_write_to_stream(wrapper, stream)
        guard let array = roost_mime_bytes(stream), let start = array.pointee.data else { return "" }
        let data = Data(
            bytesNoCopy: start, count: min(Int(array.pointee.len), limits.maximumTextBytes),
            deallocator: .none)
        let name =
            g_mime_object_get_content_type_parameter(object, "charset").map { String(cString: $0) }
            ?? (isType(object, "text", "html") ? HTMLEncoding.declared([UInt8](data.prefix(4096))[...]) : nil)
        return MailCharset.decode(data, declared: name)
    }

    /// Returns the text of a part with the parameter `format=flowed` (RFC 3676) in whole paragraphs.
    private static func unfolded(_ text: String, _ object: UnsafeMutablePointer<GMimeObject>) -> String {
        guard let format = g_mime_object_get_content_type_parameter(object, "format"),
            String(cString: format).lowercased() == "flowed"
        else { return text }
        let mark = g_mime_object_get_content_type_parameter(object, "delsp").map { String(cString: $0) }
        return FlowedText.joined(text, removesSpace: mark?.lowercased() == "yes")
    }
}
