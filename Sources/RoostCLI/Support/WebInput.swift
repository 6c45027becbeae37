import Foundation
import Roost
import RoostRemote

/// Fetches the pages and feeds that an ingest reads, one at a time.
final class WebInput {
    private var remaining: ArraySlice<String>
    private let fetcher: WebFetcher
    private let reader: RecordReader
    private let isFeed: Bool
    private let store: KnowledgeStore

    /// Creates an input for URLs.
    init(
        _ addresses: [String], store: KnowledgeStore, reader: RecordReader, isFeed: Bool,
        allowsPrivateAddresses: Bool
    ) {
        remaining = addresses[...]
        fetcher = WebFetcher(
            version: VersionText.number, allowsPrivateAddresses: allowsPrivateAddresses,
            environment: ProcessInfo.processInfo.environment)
        (self.reader, self.isFeed, self.store) = (reader, isFeed, store)
    }

    /// Removes and returns the next URL; `nil` after the last one.
    func nextAddress() -> String? { remaining.popFirst() }

    /// Fetches and reads a page.
    func draft(of address: String) async throws -> SourceDraft {
        let id = WebSource.id(address)
        let known = try await store.storage.snapshot().sources([id]).first
        let validators = known.map { reader.validators(of: $0) } ?? .init()
        do {
            let result = try await fetcher.fetch(
                address,
                unlessMatching: .init(
                    entityTag: validators.entityTag, lastModified: validators.lastModified))
            switch (result, known) {
            case (.notModified, let known?): return WebSource.unchanged(known)
            case (.notModified, nil):
                throw RoostError(
                    .badInput, "cannot fetch \(address): the server sent no page; try again later")
            case (.page(let page), _):
                var source = WebSource(id: id, data: page.data, address: page.url.absoluteString)
                (source.mediaType, source.encodingName) = (page.mediaType, page.encodingName)
                source.validators = .init(
                    entityTag: page.validators.entityTag, lastModified: page.validators.lastModified)
                return try await reader.read(source, asFeed: isFeed)
            }
        } catch let error as WebError {
            // The refused address can be that of a redirect, which the user did not give.
            let message =
                error.code == .privateAddress
                ? "cannot fetch \(Terminal.line(address)): its host, or the host to which it redirects, is "
                    + "this computer or in a private network; use --allow-private if you trust it"
                : error.message
            let isMissing = error.code == .unavailable || error.code == .refused
            throw RoostError(isMissing ? .noInput : .badInput, message)
        }
    }
}
