import Foundation
import RoostModel

/// Reads captions of videos in the formats SubRip and WebVTT.
///
/// The text consists of paragraphs that begin with their time, such as `[00:01:30]`. Captions that scroll
/// upwards repeat lines; each of these lines is read once.
public struct CaptionReader: DocumentReader {
    static let type = DocumentType(
        name: "captions", title: "Captions", extensions: ["srt", "vtt"],
        mediaTypes: ["text/vtt", "application/x-subrip"])

    /// The length of a paragraph, in seconds, after which the next sentence begins a new paragraph.
    private static let paragraphLength = 60.0

    public let version = 2

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        let start = input.data.prefix(9)
        return start.starts(with: "WEBVTT".utf8) || start.dropFirst(3).starts(with: "WEBVTT".utf8)
            ? Self.type : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard let (text, _) = TextDecoder.decode(input.data) else {
            throw DocumentError.unsupported("it is not text in UTF-8, UTF-16 or windows-1252")
        }
        var paragraphs: [(time: Double, text: String)] = []
        var recent: [String] = []
        var isCaption = false
        var time = 0.0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if let start = Self.startTime(of: line) {
                (time, isCaption) = (start, true)
            } else if line.isEmpty {
                isCaption = false
            } else if isCaption {
                let content = MarkdownText.singleLine(
                    HTMLText.plain(line.replacing(#/<[^<>]{0,200}>|\{\\[^}]{0,100}\}/#, with: "")))
                guard !content.isEmpty, !recent.contains(content) else { continue }
                recent = recent.suffix(2) + [content]
                Self.append(content, at: time, to: &paragraphs)
            }
        }
        guard !paragraphs.isEmpty else { throw DocumentError.noText("it contains no captions") }
        let blocks = paragraphs.map { "[\(Self.clock($0.time))] \($0.text)" }
        // Captions contain no title, and their first words are not one.
        return [Document(type: type, title: input.fileStem, text: blocks.joined(separator: "\n\n"))]
    }

    private static func append(_ text: String, at time: Double, to list: inout [(time: Double, text: String)])
    {
        guard let last = list.last else {
            list.append((time, text))
            return
        }
        let endsSentence = last.text.last.map { ".!?…\"”。".contains($0) } ?? true
        let length = time - last.time
        if length < 0 || length >= paragraphLength && (endsSentence || length >= 2 * paragraphLength) {
            list.append((time, text))
        } else {
            list[list.count - 1].text += " " + text
        }
    }

    /// Returns the first time in a line such as `00:00:01,000 --> 00:00:04,000` in seconds; otherwise `nil`.
    static func startTime(of line: String) -> Double? {
        guard let arrow = line.range(of: "-->") else { return nil }
        let start = line[..<arrow.lowerBound].trimmingCharacters(in: .whitespaces).replacing(",", with: ".")
        let parts = start.split(separator: ":").map { Double($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let part, part >= 0, part < 100_000 else { return nil }
            seconds = seconds * 60 + part
        }
        return seconds
    }

    private static func clock(_ time: Double) -> String {
        let seconds = Int(time)
        return String(format: "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
