import Foundation

/// The lines before an earlier message that a program has copied into a message without quotation marks.
///
/// Outlook writes `-----Original Message-----`, or only the sender, date, recipients and subject of the
/// earlier message, whether the message is an answer or forwards the earlier one.
enum OriginalMessageMark {
    private static let marks = [
        "original message", "ursprüngliche nachricht", "message d'origine", "mensaje original",
        "messaggio originale", "oorspronkelijk bericht",
    ]
    /// The names of headers in the languages of the programs.
    private static let senderNames: Set = [
        "from", "von", "de", "da", "van", "från", "fra", "od", "lähettäjä", "feladó", "от", "от кого",
        "kimden", "发件人", "寄件者", "差出人",
    ]
    private static let dateNames: Set = [
        "sent", "date", "gesendet", "datum", "envoyé", "date d'envoi", "enviado", "enviada em", "fecha",
        "data", "inviato", "verzonden", "skickat", "sendt", "dato", "wysłano", "lähetetty", "elküldve",
        "отправлено", "дата", "gönderildi", "tarih", "发送时间", "日期", "送信日時",
    ]
    private static let subjectNames: Set = [
        "subject", "betreff", "objet", "asunto", "assunto", "oggetto", "onderwerp", "ämne", "emne", "temat",
        "aihe", "tárgy", "тема", "konu", "主题", "主旨", "件名",
    ]
    /// The beginnings of the subjects of forwarded messages, before a colon.
    private static let forwardPrefixes: Set = [
        "fw", "fwd", "wg", "tr", "rv", "enc", "i", "vb", "vl", "pd", "πρθ", "转发", "轉寄", "転送",
    ]

    /// The maximum number of bytes of a line with a header.
    private static let maximumLineLength = 1000
    /// The maximum number of lines of the headers that are not empty. The list of recipients can be long.
    private static let maximumHeaderLines = 12

    /// Returns whether a line introduces an earlier message: `-----Original Message-----`.
    static func isMark(_ line: String) -> Bool {
        guard line.hasPrefix("---"), line.hasSuffix("---"), line.count <= 80 else { return false }
        let text = line.lowercased()
        return marks.contains(where: text.contains)
    }

    /// Returns whether the headers of an earlier message begin with a line: its sender, followed by its date
    /// and, after other headers, its subject. An empty line or a rule precedes them.
    ///
    /// - Complexity: O(1) for lines that do not begin with the name of a sender's header.
    static func isHeader(_ lines: [Substring], at index: Int) -> Bool {
        guard let name = headerName(lines[index]), senderNames.contains(name),
            index == 0 || isBlankOrRule(lines[index - 1])
        else { return false }
        var hasDate = false
        var count = 0
        for line in lines[(index + 1)...] where !isBlank(line) {
            count += 1
            guard count < maximumHeaderLines else { return false }
            guard let name = headerName(line) else { continue }
            // The address of the sender can continue on one more line.
            if !hasDate {
                guard dateNames.contains(name), count <= 2 else { return false }
                hasDate = true
            } else if subjectNames.contains(name) {
                return true
            }
        }
        return false
    }

    /// Returns whether a line is empty or consists of underscores, as before the headers of an earlier
    /// message.
    static func isBlankOrRule(_ line: Substring) -> Bool {
        line.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "_" || $0 == "\\" }
    }

    private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }

    /// Returns the name before the colon of a line in lowercase letters, without asterisks for bold text.
    private static func headerName(_ line: Substring) -> String? {
        guard line.utf8.count <= maximumLineLength,
            let colon = line.prefix(30).firstIndex(where: { $0 == ":" || $0 == "：" })
        else { return nil }
        let name = line[..<colon].filter { $0 != "*" }.trimmed.lowercased()
        return name.isEmpty ? nil : name
    }

    // MARK: Forwarded messages

    /// Returns whether a subject is that of a forwarded message, such as `FW: Budget`.
    static func isForwarded(subject: String) -> Bool {
        guard let colon = subject.prefix(8).firstIndex(where: { $0 == ":" || $0 == "：" }) else {
            return false
        }
        return forwardPrefixes.contains(String(subject[..<colon]).trimmed.lowercased())
    }

    /// Returns the text of a forwarded message with the usual line before the earlier message, which
    /// distinguishes it from a quotation. It replaces the line that introduces the earlier message.
    ///
    /// - Complexity: O(length of text).
    static func markingForwardedMessage(in text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices {
            let content = String(lines[index]).trimmed
            if MailQuotations.isForwardMark(content) { return text }
            if isMark(content) {
                lines[index] = forwardLine[...]
                return lines.joined(separator: "\n")
            }
            if isHeader(lines, at: index) {
                let hasRule = index > 0 && isBlankOrRule(lines[index - 1]) && !isBlank(lines[index - 1])
                if hasRule {
                    lines[index - 1] = forwardLine[...]
                } else {
                    lines.insert(forwardLine[...], at: index)
                }
                return lines.joined(separator: "\n")
            }
        }
        return text
    }

    private static let forwardLine = "---------- Forwarded message ----------"
}
