/// A pointer through which several workers only read.
///
/// Unchecked because the compiler cannot verify that no thread writes and that the memory stays alive; the
/// code that creates a value must guarantee both.
package struct SharedReads<Element>: @unchecked Sendable {
    package let pointer: UnsafePointer<Element>

    package init(_ pointer: UnsafePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element { pointer[index] }
}
