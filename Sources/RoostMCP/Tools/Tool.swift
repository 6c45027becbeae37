/// A function that a model can call.
protocol Tool: Sendable {
    /// The name, the description and the schemas.
    var definition: ToolDefinition { get }

    /// Executes a call.
    ///
    /// - Parameter arguments: Arguments that match the input schema.
    /// - Returns: An object that matches the output schema.
    /// - Throws: ``ToolFailure`` and the errors of the store, which the model sees as a failed call;
    ///   ``ProtocolError``, which the client sees as a failed request; `CancellationError`.
    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue
}
