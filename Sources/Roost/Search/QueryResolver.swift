import RoostModel
import RoostText
import RoostVectors

/// The step that looks up the words of planned searches in the word index: their stems in the languages of
/// the store, and corrections of misspelled words.
struct QueryResolver {
    let embedder: any Embedder
    let storage: any StorageProvider
    let words: DerivedCatalog<TextContents>
    let filteredRows: FilteredRows

    /// Returns the plans with resolved words. A query with corrected words is embedded again, because a model
    /// represents the correct words better.
    ///
    /// - Throws: `StorageError`; `EmbedderError`; `CancellationError`.
    func resolved(_ plans: [QueryPlan]) async throws -> [QueryPlan] {
        guard plans.contains(where: { $0.text != nil }) else { return plans }
        let contents = try await words.current()
        var plans = plans
        var corrected: [Int] = []
        for index in plans.indices {
            guard let text = plans[index].text else { continue }
            let visible = try await visibleRows(of: plans[index].search)
            plans[index].countedRows = plans[index].search.countsOnlyVisible ? visible : nil
            let resolved = try await contents.resolved(
                text, correctsSpelling: !plans[index].search.usesExactWords, among: visible,
                counting: plans[index].countedRows, with: embedder)
            plans[index].text = resolved
            let isEmbedded = !plans[index].vector.isEmpty
            if isEmbedded, resolved.plainText != text.plainText { corrected.append(index) }
        }
        guard !corrected.isEmpty else { return plans }
        let texts = corrected.map { plans[$0].text?.plainText ?? "" }
        let embeddings = try await embedder.checkedEmbeddings(texts, as: .query)
        for (row, index) in corrected.enumerated() { plans[index].vector = embeddings.vectors.row(row) }
        return plans
    }

    /// Returns the rows of the entries whose words decide about corrections and rarity; `nil` for all.
    private func visibleRows(of search: EntrySearch) async throws -> RowSet? {
        guard let visible = search.visible, !search.usesExactWords || search.countsOnlyVisible else {
            return nil
        }
        return try await filteredRows.allowed(by: visible, in: try await storage.snapshot())
    }
}
