import Foundation
import RoostFiles
import RoostModel

/// Reads captions of videos in the formats SubRip, WebVTT and SBV.
///
/// The text consists of paragraphs that begin with their time, such as `[00:01:30]`. The name of a speaker
/// precedes the words, at the beginning of a paragraph and where the speaker changes. Captions that scroll
/// upwards repeat lines; each of these lines is read once.
public struct CaptionReader: DocumentReader {
    static let type = DocumentType(
        name: "captions", title: "Captions", extensions: ["srt", "vtt", "sbv"],
        mediaTypes: ["text/vtt", "application/x-subrip"])

    /// The maximum number of bytes of a line whose markup is removed. Longer lines are no captions.
    private static let maximumLineLength = 1 << 16
    /// The length of a paragraph, in seconds, after which the next sentence begins a new paragraph.
    private static let paragraphLength = 60.0

    // A literal in a function would be compiled for each caption, which takes longer than its use.
    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let voice = #/<v(?:\.[^\s<>]{0,100}+)?\s+([^<>]{1,200}+)>/#
    nonisolated(unsafe) private static let tag = #/<[^<>]{0,200}+>|\{\\[^}]{0,100}+\}/#

    public let version = 3

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
            let paragraphs = try Self.paragraphs(input.data, isCancelled)
            guard !paragraphs.isEmpty else { throw DocumentError.noText("it contains no captions") }
            let blocks = paragraphs.map { "[\(Self.clock($0.time))] \($0.text)" }
            // Captions contain no title, and their first words are not one.
            return [Document(type: type, title: input.fileStem, text: blocks.joined(separator: "\n\n"))]
        }
    }

    /// Returns the texts of captions, joined to paragraphs, and the times at which they begin in seconds.
    private static func paragraphs(
        _ data: Data, _ isCancelled: () -> Bool
    ) throws -> [(time: Double, text: String)] {
        guard let (text, _) = TextDecoder.decode(data) else {
            throw DocumentError.unsupported(TextDecoder.failureText)
        }
        var paragraphs: [(time: Double, text: String)] = []
        var recent: [String] = []
        var isCaption = false
        // The speaker of the present caption, and the one who was named last.
        var (speaker, named) = (String?.none, String?.none)
        var time = 0.0
        var rest = text[...]
        // Without an array of the lines, which could need many times the memory of the text.
        while !rest.isEmpty {
            if isCancelled() { throw CancellationError() }
            let part = rest.prefix { !$0.isNewline }
            rest = rest[part.endIndex...].dropFirst()
            let line = part.trimmingCharacters(in: .whitespaces)
            if let start = startTime(of: line) {
                (time, isCaption) = (start, true)
                speaker = nil
            } else if line.isEmpty {
                isCaption = false
            } else if isCaption {
                for (voice, content) in voices(in: line) {
                    speaker = voice ?? speaker
                    // Captions that scroll have no speakers.
                    guard !content.isEmpty, speaker != nil || !recent.contains(content) else { continue }
                    recent = recent.suffix(2) + [content]
                    let begins = beginsParagraph(at: time, after: paragraphs.last)
                    let isNamed = speaker == nil || (!begins && speaker == named)
                    let text = isNamed ? content : "\(speaker ?? ""): \(content)"
                    named = speaker
                    if begins {
                        paragraphs.append((time, text))
                    } else {
                        // Without a copy of the paragraph, which would be copied again for each text.
                        paragraphs[paragraphs.count - 1].text += " " + text
                    }
                }
            }
        }
        return paragraphs
    }

    /// Returns the text of a line without markup. In SBV, `[br]` is a line break.
    private static func content(of line: String) -> String {
        guard line.utf8.count <= maximumLineLength else { return MarkdownText.singleLine(line) }
        let text = line.replacing(tag, with: "").replacingOccurrences(of: "[br]", with: " ")
        return MarkdownText.singleLine(HTMLText.plain(text))
    }

    /// Returns the parts of a line with their speakers: `<v Mara>Yes.</v> <v Tom>No.</v>`. The speaker of a
    /// part before the first name is `nil`.
    private static func voices(in line: String) -> [(speaker: String?, text: String)] {
        guard line.utf8.count <= maximumLineLength, line.contains("<v") else {
            return [(nil, content(of: line))]
        }
        var parts: [(speaker: String?, text: String)] = []
        var speaker: String?
        var rest = line[...]
        while let match = rest.firstMatch(of: voice) {
            parts.append((speaker, content(of: String(rest[..<match.range.lowerBound]))))
            speaker = content(of: String(match.output.1))
            rest = rest[match.range.upperBound...]
        }
        return parts + [(speaker, content(of: String(rest)))]
    }

    /// Returns whether a text at a time begins a paragraph after another one.
    private static func beginsParagraph(at time: Double, after last: (time: Double, text: String)?) -> Bool {
        guard let last else { return true }
        let endsSentence = last.text.last.map { ".!?…\"”。".contains($0) } ?? true
        let length = time - last.time
        return length < 0 || length >= paragraphLength && (endsSentence || length >= 2 * paragraphLength)
    }

    /// Returns the first time in a line such as `00:00:01,000 --> 00:00:04,000`, or `0:00:01.000,0:00:04.000`
    /// in SBV, in seconds; otherwise `nil`.
    static func startTime(of line: String) -> Double? {
        guard let first = firstTime(in: line) else { return nil }
        let start = first.trimmingCharacters(in: .whitespaces).replacing(",", with: ".")
        let parts = start.split(separator: ":").map { Double($0) }
        guard (2...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let part, part >= 0, part < 100_000 else { return nil }
            seconds = seconds * 60 + part
        }
        return seconds
    }

    /// Returns the part of a line with times before the arrow, or in SBV before the comma.
    private static func firstTime(in line: String) -> Substring? {
        if let arrow = line.range(of: "-->") { return line[..<arrow.lowerBound] }
        guard let comma = line.firstIndex(of: ","),
            line.utf8.allSatisfy({ (0x30...0x39).contains($0) || ":.,".utf8.contains($0) })
        else { return nil }
        let times = [line[..<comma], line[line.index(after: comma)...]]
        return times.allSatisfy { $0.count(where: { $0 == ":" }) == 2 && $0.contains(".") } ? times[0] : nil
    }

    private static func clock(_ time: Double) -> String {
        let seconds = Int(time)
        return String(format: "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
