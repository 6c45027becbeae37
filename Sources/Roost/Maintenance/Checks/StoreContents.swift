import Foundation
import RoostModel

/// The contents of a store that a ``StoreContentCheck`` inspects.
struct StoreContents {
    /// The store's folder.
    let directory: URL
    /// The revision that is inspected.
    let snapshot: any StorageSnapshot
    /// The embedding space of the vectors; `nil` if the manifest is lost.
    let space: EmbeddingSpace?
}
