import CGMime
import Foundation
import RoostModel

final class MailBody {
    private(set) var text = ""
    private(set) var links: [DocumentLink] = []
    private(set) var attachments: [String] = []
    /// The parts that are not read, as messages.
    private(set) var unreadParts: [String] = []
    private(set) var isEncrypted = false

    private let limits: DocumentLimits
    private let isCancelled: () -> Bool
    private var parts = 0

    init(limits: DocumentLimits, isCancelled: @escaping () -> Bool) {
        self.limits = limits
        self.isCancelled = isCancelled
    }

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
        if children.isEmpty, let text = g_mime_multipart_get_prologue(multipart) {
            // Attachments in base64 are not text.
            let lines = String(cString: text).split(separator: "\n", omittingEmptySubsequences: false)
            append(lines.filter { $0.utf8.count < 60 || $0.contains(" ") }.joined(separator: "\n"))
            unreadParts.append("parts whose boundary is missing or differs from that of the header")
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
        guard type == "text/html" else {
            append(Self.content(of: object, limits: limits))
            return
        }
        let charset = Self.parameter("charset", of: object)
        let page = Self.withBytes(of: object, limits) {
            HTMLPage($0, encodingName: charset, maximumDepth: limits.maximumDepth)
        }
        guard let page else { return }
        let (text, found) = page.content()
        if let fault = page.tree.fault { unreadParts.append(fault) }
        links += found
        append(text)
    }

    /// Returns whether a part is text for people. Texts of other types are read as plain text (RFC 2046) if
    /// they have no name, such as the body of a message. Invalid types, such as `text`, are text to GMime.
    private static func isReadable(
        _ object: UnsafeMutablePointer<GMimeObject>, _ type: String, hasName: Bool
    ) -> Bool {
        guard roost_mime_is_text(object) != 0 else { return false }
        if ["text/plain", "text/html", "text/markdown", "text/enriched"].contains(type) { return true }
        return !hasName && type != "text/calendar" && !type.contains("html")
    }

    /// Appends the text of a part after an empty line.
    private func append(_ part: String) {
        var content = part.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(
            of: "\r", with: "\n")
        while content.last == "\n" { content.removeLast() }
        guard content.contains(where: { !$0.isWhitespace }) else { return }
        guard text.utf8.count + content.utf8.count <= limits.maximumTextBytes else {
            unreadParts.append("text after \(limits.maximumTextBytes) bytes")
            return
        }
        if text.isEmpty { text = content } else { text += "\n\n" + content }
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
        withBytes(of: object, limits) {
            MailCharset.decode($0, declared: parameter("charset", of: object))
        } ?? ""
    }

    /// Calls a closure with the bytes of a part, decoded from its transfer encoding.
    private static func withBytes<Result>(
        of object: UnsafeMutablePointer<GMimeObject>, _ limits: DocumentLimits, _ body: (Data) -> Result
    ) -> Result? {
        guard roost_mime_is_part(object) != 0,
            let wrapper = g_mime_part_get_content(roost_mime_part(object)),
            let stream = g_mime_stream_mem_new()
        else { return nil }
        defer { roost_mime_release(stream) }
        g_mime_data_wrapper_write_to_stream(wrapper, stream)
        guard let array = roost_mime_bytes(stream), let start = array.pointee.data else { return nil }
        let count = min(Int(array.pointee.len), limits.maximumTextBytes)
        return body(Data(bytesNoCopy: start, count: count, deallocator: .none))
    }

    private static func parameter(
        _ name: String, of object: UnsafeMutablePointer<GMimeObject>
    ) -> String? {
        g_mime_object_get_content_type_parameter(object, name).map { String(cString: $0) }
    }
}

enum MailCharset {
    /// Decodes the bytes of a part of a message with its declared character set.
    ///
    /// Missing and wrong declarations are common. If the declared set is ASCII, UTF-8 or unknown, or some
    /// bytes are invalid in it, ``TextDecoder`` determines the encoding from the bytes.
    static func decode(_ data: Data, declared name: String?) -> String {
        let name = (name ?? "us-ascii").lowercased().trimmingCharacters(in: .whitespaces)
        if !["us-ascii", "ascii", "utf-8", "utf8", ""].contains(name),
            let bytes = TextConverter.convert([UInt8](data), from: HTMLEncoding.canonicalName(name))
        {
            let text = String(decoding: bytes, as: UTF8.self)
            if !text.unicodeScalars.contains("\u{FFFD}") { return text }
        }
        return TextDecoder.decode(data)?.text ?? String(data: data, encoding: .windowsCP1252)
            ?? String(decoding: data, as: UTF8.self)
    }
}
