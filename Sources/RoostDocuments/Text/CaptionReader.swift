import Foundation
import RoostFiles
import RoostModel

/// Reads captions of videos in the formats SubRip and WebVTT.
///
/// The text consists of paragraphs that begin with their time, such as `[00:01:30]`. Captions that scroll
/// upwards repeat lines; each of these lines is read once. Words that a speaker repeats stay.
public struct CaptionReader: DocumentReader {
    static let type = DocumentType(
        name: "captions", title: "Captions", extensions: ["srt", "vtt"],
        mediaTypes: ["text/vtt", "application/x-subrip"])

    /// The maximum number of bytes of a line whose markup is removed. Longer lines are no captions.
    private static let maximumLineLength = 1 << 16
    private static let paragraphLength = 60.0
    /// The maximum number of lines that captions show at once while they scroll.
    private static let maximumScrolledLines = 4
    /// The time in seconds below which nobody can read a caption. Steps of scrolling last a hundredth of a second.
    private static let minimumDuration = 0.1

    // A literal in a function would be compiled for each caption, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let voice = #/<v(?:\.[^\s<>]{0,100}+)?\s+([^<>]{1,200}+)>/#
    nonisolated(unsafe) private static let tag = #/<[^<>]{0,200}+>|\{\\[^}]{0,100}+\}/#

    public let version = 5

    public let types = [Self.type]

    /// Creates a reader.
    public init() {}

    public func recognizedType(of input: DocumentInput) -> DocumentType? {
        let start = input.data.prefix(9)
        return start.starts(with: "WEBVTT".utf8) || start.dropFirst(3).starts(with: "WEBVTT".utf8)
            ? Self.type : nil
    }

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
        try input.requireReadableSize()
        return try await BlockingWork.run { isCancelled in
            let (text, encodingName) = try input.text()
            let content = try Self.paragraphs(text, isCancelled)
            guard !content.isEmpty else { throw DocumentError.noText("it contains no captions") }
            // Captions contain no title, and their first words are not one.
            return DocumentContents(
                Document(title: input.fileStem, text: content), encodingName: encodingName)
        }
    }

    /// A caption: its times in seconds, and its lines.
    private struct Caption {
        var start, end: Double
        var lines: [String] = []

        /// Returns the lines that the caption before does not show. If captions scroll, one follows the other at once,
        /// and begins with the last lines of it. A caption that repeats all of its lines is a step of scrolling only if
        /// nobody can read it; otherwise, a speaker repeats the words.
        func newLines(after previous: Caption?) -> ArraySlice<String> {
            guard let previous, start <= previous.end else { return lines[...] }
            let repeated = (1...CaptionReader.maximumScrolledLines).last {
                $0 <= lines.count && previous.lines.suffix($0) == lines.prefix($0)
            }
            guard let repeated, repeated < lines.count || end - start < CaptionReader.minimumDuration else {
                return lines[...]
            }
            return lines.dropFirst(repeated)
        }
    }

    /// Returns the texts of captions in paragraphs, each with the time at which it begins.
    private static func paragraphs(_ captions: String, _ isCancelled: () -> Bool) throws -> String {
        var (text, start) = ("", 0.0)
        var caption: Caption?
        var previous: Caption?
        func endCaption() {
            guard let ended = caption else { return }
            for line in ended.newLines(after: previous) {
                if text.isEmpty || ended.start < start || ended.start - start >= paragraphLength {
                    start = ended.start
                    text += (text.isEmpty ? "" : "\n\n") + "[\(clock(start))]"
                }
                text += " " + line
            }
            (previous, caption) = (ended, nil)
        }
        for part in captions.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if isCancelled() { throw CancellationError() }
            let line = part.trimmingCharacters(in: .whitespaces)
            if let times = times(of: line) {
                endCaption()
                caption = Caption(start: times.start, end: times.end)
            } else if line.isEmpty {
                endCaption()
            } else if caption == nil, isTiming(line) {
                let time = previous?.end ?? 0
                caption = Caption(start: time, end: time)
            } else if caption != nil {
                let content = content(of: line)
                if !content.isEmpty { caption?.lines.append(content) }
            }
        }
        endCaption()
        return text
    }

    /// Returns the text of a line without markup. The name of a speaker precedes the words.
    private static func content(of line: String) -> String {
        guard line.utf8.count <= maximumLineLength else { return MarkdownText.singleLine(line) }
        let named = line.replacing(voice) { "\($0.output.1): " }
        return MarkdownText.singleLine(HTMLText.plain(named.replacing(tag, with: "")))
    }

    /// Returns the times in a line such as `00:00:01,000 --> 00:00:04,000 align:start` in seconds; `nil` for other
    /// lines. An end that is not a time is the start.
    static func times(of line: String) -> (start: Double, end: Double)? {
        guard let arrow = line.range(of: "-->"), let start = seconds(line[..<arrow.lowerBound]) else {
            return nil
        }
        let end = line[arrow.upperBound...].split(separator: " ").first.flatMap(seconds)
        return (start, end ?? start)
    }

    /// Returns whether a line between captions is in the place of times, although they cannot be read. The caption then
    /// has the time at which the one before ends.
    private static func isTiming(_ line: String) -> Bool {
        line.contains("-->") || line.contains("->") && line.first?.isNumber == true
    }

    private static func seconds(_ text: Substring) -> Double? {
        let time = text.trimmingCharacters(in: .whitespaces).replacing(",", with: ".")
        let parts = time.split(separator: ":").map { Double($0) }
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
