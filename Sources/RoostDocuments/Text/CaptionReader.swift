import Foundation
import RoostFiles
import RoostModel

/// Reads captions of videos in the formats SubRip and WebVTT.
///
/// The text consists of paragraphs that begin with their time, such as `[00:01:30]`. Captions that scroll
/// upwards repeat lines; each of these lines is read once.
public struct CaptionReader: DocumentReader {
    static let type = DocumentType(
        name: "captions", title: "Captions", extensions: ["srt", "vtt"],
        mediaTypes: ["text/vtt", "application/x-subrip"])

    /// The maximum number of bytes of a line whose markup is removed. Longer lines are no captions.
    private static let maximumLineLength = 1 << 16
    /// The length of a paragraph in seconds.
    private static let paragraphLength = 60.0

    // A literal in a function would be compiled for each caption, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let voice = #/<v(?:\.[^\s<>]{0,100}+)?\s+([^<>]{1,200}+)>/#
    nonisolated(unsafe) private static let tag = #/<[^<>]{0,200}+>|\{\\[^}]{0,100}+\}/#

    public let version = 4

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        let start = input.data.prefix(9)
        return start.starts(with: "WEBVTT".utf8) || start.dropFirst(3).starts(with: "WEBVTT".utf8)
            ? Self.type : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        return try await BlockingWork.run { isCancelled in
            guard let (text, _) = TextDecoder.decode(input.data) else {
                throw DocumentError.unsupported(TextDecoder.failureText)
            }
            let content = try Self.paragraphs(text, isCancelled)
            guard !content.isEmpty else { throw DocumentError.noText("it contains no captions") }
            // Captions contain no title, and their first words are not one.
            return [Document(type: type, title: input.fileStem, text: content)]
        }
    }

    /// Returns the texts of captions in paragraphs, each with the time at which it begins.
    private static func paragraphs(_ captions: String, _ isCancelled: () -> Bool) throws -> String {
        var text = ""
        var recent: [String] = []
        var (time, start, isCaption) = (0.0, 0.0, false)
        var rest = captions[...]
        // Without an array of the lines, which could need many times the memory of the text.
        while !rest.isEmpty {
            if isCancelled() { throw CancellationError() }
            let part = rest.prefix { !$0.isNewline }
            rest = rest[part.endIndex...].dropFirst()
            let line = part.trimmingCharacters(in: .whitespaces)
            if let seconds = startTime(of: line) {
                (time, isCaption) = (seconds, true)
            } else if line.isEmpty {
                isCaption = false
            } else if isCaption {
                let content = content(of: line)
                guard !content.isEmpty, !recent.contains(content) else { continue }
                recent = recent.suffix(2) + [content]
                if text.isEmpty || time < start || time - start >= paragraphLength {
                    start = time
                    text += (text.isEmpty ? "" : "\n\n") + "[\(clock(time))]"
                }
                text += " " + content
            }
        }
        return text
    }

    /// Returns the text of a line without markup. The name of a speaker precedes the words.
    private static func content(of line: String) -> String {
        guard line.utf8.count <= maximumLineLength else { return MarkdownText.singleLine(line) }
        let named = line.replacing(voice) { "\($0.output.1): " }
        return MarkdownText.singleLine(HTMLText.plain(named.replacing(tag, with: "")))
    }

    /// Returns the first time in a line such as `00:00:01,000 --> 00:00:04,000` in seconds; otherwise `nil`.
    static func startTime(of line: String) -> Double? {
        guard let arrow = line.range(of: "-->") else { return nil }
        let start = line[..<arrow.lowerBound].trimmingCharacters(in: .whitespaces)
        let parts = start.replacing(",", with: ".").split(separator: ":").map { Double($0) }
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
