import Roost

extension EmbeddingSpace {
    /// The name with which the model is selected, which ends with `:int8` for 8-bit layers.
    var selectableName: String { revision.hasSuffix("+int8") ? "\(model):int8" : model }
}
