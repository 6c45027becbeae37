import Foundation

/// The quotations and the signature of a message.
///
/// A message that consists of nothing else has no hidden parts, so that its text can be found. A forwarded
/// message is no quotation, because the recipient has it nowhere else; and neither are the earlier messages
/// that it contains without quotation marks.
struct MailQuotations {
    /// The quotations and signatures, in order.
    private(set) var parts: [TextStructure.HiddenPart] = []
    /// The length of the text in bytes.
    let length: Int

    private static let attributionStarts = ["on ", "am ", "le ", "el ", "il ", "em ", "op ", "den ", "dnia "]
    private static let attributionEnds = [
        "wrote:", "schrieb:", "a écrit :", "a écrit:", "escribió:", "ha scritto:", "escreveu:", "schreef:",
        "skrev:", "napisał(a):", "napisał:", "writes:", "geschrieben:",
    ]
    /// The words of the line before a forwarded message. Apple Mail quotes the message with `>`.
    private static let forwardMarks = [
        "forwarded message", "weitergeleitete nachricht", "weitergeleiteten nachricht", "message transféré",
        "message réexpédié", "mensaje reenviado", "messaggio inoltrato", "doorgestuurd bericht",
        "mensagem encaminhada", "mensagem reencaminhada", "vidarebefordrat meddelande",
        "vidarebefordrat brev",
        "videresendt melding", "videresendt besked", "przekazana wiadomość", "przekazanej wiadomości",
    ]

    /// The line before a signature in a converted HTML part, which has lost the space, and has a backslash.
    private static let convertedMark = "\\--"
    /// The maximum number of lines of a signature after ``convertedMark`` that are not empty.
    private static let maximumSignatureLines = 15

    /// Finds the quotations and the signature of a text.
    ///
    /// - Complexity: O(length of text).
    init(_ text: String) {
        length = text.utf8.count
        var found: [TextStructure.HiddenPart] = []
        var hasVisibleText = false
        var offset = 0
        var attribution: Range<Int>?
        var rest: TextStructure.HiddenPart.Kind?
        var (isForwarded, isInQuotation, hasForward) = (false, false, false)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var armor = MailArmor(lines)
        let footer = MailFooter.start(lines)
        for (index, line) in lines.enumerated() {
            let range = offset..<min(offset + line.utf8.count + 1, length)
            offset = range.upperBound
            let content = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if rest == nil, line == "-- " || line == "-- \r" || index == footer { rest = .signature }
            if rest == nil, line == Self.convertedMark, Self.isSignature(lines[(index + 1)...]) {
                rest = .signature
            }
            if rest == nil, !hasForward, Self.isOriginal(lines, at: index) { rest = .quotation }
            // Many programs write the signature of the sender above the forwarded message.
            if rest == .signature, Self.isForwardMark(content) { rest = nil }
            let isSignature = armor.contains(content, at: index) || Self.isDeviceLine(lines, at: index)
            if let kind = rest ?? (isSignature ? .signature : nil) {
                Self.append(range, kind, to: &found)
            } else if content.hasPrefix(">") {
                // Apple Mail writes the mark before the quotation, or in it if the message is in HTML.
                if !isInQuotation, attribution == nil, Self.isForwardMark(content) { isForwarded = true }
                isInQuotation = true
                if let line = attribution { Self.append(line, .quotation, to: &found) }
                attribution = nil
                if isForwarded { hasVisibleText = true } else { Self.append(range, .quotation, to: &found) }
            } else if content.isEmpty {
                continue
            } else {
                (isForwarded, isInQuotation) = (Self.isForwardMark(content), false)
                hasForward = hasForward || isForwarded
                if let first = attribution, first.upperBound == range.lowerBound,
                    Self.isWrappedAttribution(lines, at: index - 1)
                {
                    attribution = first.lowerBound..<range.upperBound
                    continue
                }
                if attribution != nil { hasVisibleText = true }
                let isAttribution =
                    Self.isAttribution(content) || Self.isWrappedAttribution(lines, at: index)
                attribution = isAttribution ? range : nil
                if attribution == nil { hasVisibleText = true }
            }
        }
        if attribution != nil { hasVisibleText = true }
        parts = hasVisibleText ? found : []
    }

    private static func append(
        _ range: Range<Int>, _ kind: TextStructure.HiddenPart.Kind, to parts: inout [TextStructure.HiddenPart]
    ) {
        guard !range.isEmpty else { return }
        if let last = parts.last, last.kind == kind, last.range.upperBound == range.lowerBound {
            parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
        } else {
            parts.append(TextStructure.HiddenPart(kind: kind, range: range))
        }
    }

    /// The beginnings of the lines that programs add below a message, in lowercase letters.
    private static let deviceLines = [
        "sent from my ", "get outlook for ", "sent via ", "von meinem iphone gesendet",
        "von meinem ipad gesendet", "gesendet von meinem ", "envoyé de mon ", "enviado desde mi ",
        "enviado do meu ", "inviato da iphone", "inviato dal mio ", "verstuurd vanaf mijn ",
        "skickat från min ", "wysłane z ",
    ]
    /// The beginnings of the names of devices and programs, of which such a line contains one.
    private static let devices = [
        "iphone", "ipad", "ipod", "ios", "android", "galaxy", "pixel", "samsung", "huawei", "xiaomi", "nokia",
        "motorola", "oneplus", "blackberry", "fairphone", "windows", "outlook", "yahoo", "proton", "gmail",
        "phone", "smartphone", "smartfon", "mobil", "handy", "tablet", "telefon", "telefoon", "téléphone",
        "portable", "teléfono", "móvil", "celular", "cellulare", "telemóvel", "mobiel",
    ]
    /// The maximum numbers of bytes and words of such a line.
    private static let (maximumDeviceLine, maximumDeviceWords) = (120, 6)

    /// Returns whether a line consists of the name of a device or program after a beginning such as
    /// `sent from my`, and is not an ordinary sentence.
    ///
    /// - Parameter line: The line in lowercase letters.
    private static func namesDevice(_ line: String) -> Bool {
        guard deviceLines.contains(where: line.hasPrefix) else { return false }
        // Outlook adds an address.
        let words = line.split(whereSeparator: \.isWhitespace)
            .map { $0.prefix(upTo: $0.range(of: "http")?.lowerBound ?? $0.endIndex) }
            .filter { !$0.isEmpty }
        return words.count <= maximumDeviceWords
            && !words.contains { $0.allSatisfy(\.isNumber) }
            && !words.dropLast().contains { $0.last.map(".!?".contains) ?? false }
            && words.contains { word in
                word.split { !$0.isLetter }.contains { part in devices.contains(where: part.hasPrefix) }
            }
    }

    /// Returns whether a program added a line such as `Sent from my iPhone` at the end of a message or before
    /// a quotation.
    private static func isDeviceLine(_ lines: [Substring], at index: Int) -> Bool {
        guard let first = lines[index].utf8.first, first > 0x20, lines[index].utf8.count <= maximumDeviceLine
        else {
            return false
        }
        guard namesDevice(lines[index].lowercased()) else { return false }
        let next = lines.indices[(index + 1)...].first { !lines[$0].allSatisfy(\.isWhitespace) }
        guard let next else { return true }
        let line = String(lines[next]).trimmed
        return line.hasPrefix(">") || isAttribution(line) || isWrappedAttribution(lines, at: next)
            || isOriginal(lines, at: next)
    }

    /// Returns whether a line introduces a quotation, such as `On Monday, Mara wrote:`.
    private static func isAttribution(_ line: String) -> Bool {
        guard line.count <= 200, line.hasSuffix(":") else { return false }
        let lowercased = line.lowercased()
        if attributionEnds.contains(where: lowercased.hasSuffix) { return true }
        return attributionStarts.contains(where: lowercased.hasPrefix) && line.contains { $0.isNumber }
    }

    /// Returns whether an attribution begins with a line and ends with the next one. Programs break lines
    /// that are longer than about 76 characters.
    private static func isWrappedAttribution(_ lines: [Substring], at index: Int) -> Bool {
        guard index + 1 < lines.count else { return false }
        let first = String(lines[index]).trimmed
        let lowercased = first.lowercased()
        guard first.count <= 200, attributionStarts.contains(where: lowercased.hasPrefix),
            first.contains(where: \.isNumber), let last = first.last, !".!?:".contains(last)
        else { return false }
        let second = String(lines[index + 1]).trimmed.lowercased()
        return second.count <= 200 && attributionEnds.contains(where: second.hasSuffix)
    }

    /// Returns whether an earlier message without quotation marks begins with a line. A rule of underscores
    /// before its headers belongs to it.
    private static func isOriginal(_ lines: [Substring], at index: Int) -> Bool {
        if OriginalMessageMark.isMark(String(lines[index]).trimmed) { return true }
        if OriginalMessageMark.isHeader(lines, at: index) { return true }
        return lines[index].contains("_") && OriginalMessageMark.isBlankOrRule(lines[index])
            && index + 1 < lines.count && OriginalMessageMark.isHeader(lines, at: index + 1)
    }

    /// Returns whether the lines after ``convertedMark`` begin with a signature: only a few lines, and no
    /// other mark, precede the end or a quotation. A longer text follows a line that divides the message.
    private static func isSignature(_ lines: ArraySlice<Substring>) -> Bool {
        var count = 0
        for line in lines {
            if line == convertedMark { return false }
            let content = line.trimmingCharacters(in: .whitespacesAndNewlines)
            if content.hasPrefix(">") || OriginalMessageMark.isMark(content) || isForwardMark(content) {
                return true
            }
            if !content.isEmpty { count += 1 }
            if count > maximumSignatureLines { return false }
        }
        return true
    }

    /// Returns whether a line, which can be quoted, precedes a forwarded message: `Begin forwarded message:`
    /// or `-------- Forwarded Message --------`.
    static func isForwardMark(_ line: String) -> Bool {
        guard line.utf8.count <= 200, line.hasSuffix(":") || line.hasSuffix("---") else { return false }
        let text = line.drop { $0 == ">" || $0 == " " }.lowercased()
        let words = text.filter { $0 != "-" && $0 != ":" }.trimmed
        return forwardMarks.contains { mark in
            // A sentence about a forwarded message is no mark.
            words.hasSuffix(mark) && words.count <= mark.count + 15
        }
    }
}

extension TextStructure {
    /// Creates the structure of a message.
    init(_ quotations: MailQuotations) {
        self.init(
            sections: [Section(headings: [], range: 0..<quotations.length)], hiddenParts: quotations.parts)
    }
}
