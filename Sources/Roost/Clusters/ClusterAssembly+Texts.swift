import Foundation
import RoostClustering
import RoostModel
import RoostText

extension ClusterAssembly {
    /// Counts the words of entries, except those of boilerplate lines and of the hidden parts of texts.
    mutating func countTexts(
        of snapshot: any StorageSnapshot, without boilerplate: BoilerplateLines = BoilerplateLines([])
    ) async throws {
        let common = try await FolderNames.common(in: snapshot)
        for try await page in snapshot.entryPages() {
            for entry in page.entries {
                let text = entry.labelText
                let counted = boilerplate.removing(from: text) ?? text
                count(
                    counted, title: entry.title, of: entry.id,
                    folders: entry.folderNames.filter { !common.contains($0) } + entry.tags)
            }
        }
    }

    /// Embeds the phrases from which labels are made, so that labels are chosen by their meaning. Does
    /// nothing if the embedder only compares words.
    ///
    /// - Returns: A message for the user if the embedder is unavailable; labels are then chosen by the
    ///   frequencies of words alone.
    mutating func embedPhrases(with embedder: any Embedder) async throws -> String? {
        let texts = preparePhrases()
        guard !texts.isEmpty, embedder.space.model != ModelLibrary.lexicalName else { return nil }
        do {
            let vectors = try await embedder.checkedEmbeddings(texts, as: .document).vectors
            useMeanings(
                of: Dictionary(texts.enumerated().map { ($1, vectors.row($0)) }) { first, _ in first })
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return "labels were chosen by the frequencies of words alone, because the embedding model is "
                + "unavailable: \(error)"
        }
    }
}

extension Entry {
    /// The visible text from which labels are made, after a title that is not part of it.
    fileprivate var labelText: String {
        let text = visibleText
        let heading = structure?.sections.first { !$0.headings.isEmpty }?.headings.last
        guard let title = Self.title(in: metadata), title != heading else { return text }
        return "\(title)\n\n\(text)"
    }

    /// The names of the folders that contain the entry, the outermost first: those of its file or, for a row
    /// whose key is a path such as `sports/123`, those of the key.
    var folderNames: [String] {
        if let key, key != EntryID.wholeFileKey {
            return key.split(separator: "/").dropLast().suffix(FolderNames.maximumCount).map(String.init)
        }
        return source.map(FolderNames.names(ofSource:)) ?? []
    }
}
