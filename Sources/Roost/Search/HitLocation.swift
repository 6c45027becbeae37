import Foundation
public import RoostModel

/// The location of a passage, for display. All of it comes from the store; sources are not read.
public struct HitLocation: Sendable, Hashable, Codable {
    /// The id of the source; `nil` for an entry without a source.
    public var source: Source.ID?
    /// The path of the source; `nil` unless the source is a file.
    public var path: String?
    /// The number of the line in the source, from 1; `nil` if it is unknown.
    public var line: Int?
    /// The number of the page in the source, from 1; `nil` if it is unknown.
    public var page: Int?
    /// The headings above the passage, the outermost first: those that were recorded when the source was
    /// ingested, and those in the text of the entry.
    public var headings: [String]

    /// Creates a location.
    public init(
        source: Source.ID? = nil, path: String? = nil, line: Int? = nil, page: Int? = nil,
        headings: [String] = []
    ) {
        self.source = source
        self.path = path
        self.line = line
        self.page = page
        self.headings = headings
    }
}

extension Entry {
    /// The path of the source; `nil` if the entry did not come from a file.
    public var sourcePath: String? {
        guard let source, source.hasPrefix("file://") else { return nil }
        return URL(string: source)?.path
    }

    /// Returns the location of a UTF-8 byte of the content.
    ///
    /// - Complexity: O(byte).
    public func location(ofByte byte: Int) -> HitLocation {
        HitLocation(
            source: source, path: sourcePath, line: sourceLine(ofByte: byte), page: sourcePage(ofByte: byte),
            headings: (location?.headings ?? []) + (structure?.section(at: byte)?.headings ?? []))
    }

    /// Returns the number of the page of the source that contains a UTF-8 byte of the content, from 1; `nil`
    /// if it is unknown. In the content, form feeds separate pages.
    ///
    /// - Complexity: O(byte).
    private func sourcePage(ofByte byte: Int) -> Int? {
        let formFeed = UInt8(ascii: "\u{0C}")
        return (location?.page).map { $0 + content.utf8.prefix(max(0, byte)).count { $0 == formFeed } }
    }
}

extension QueryHit {
    /// The title of the entry (``RoostModel/Entry/title``).
    public var title: String? { entry.title }
    /// The location of the passage.
    ///
    /// - Complexity: O(length of the entry).
    public var location: HitLocation { entry.location(ofByte: passage.utf8Range.lowerBound) }
}
