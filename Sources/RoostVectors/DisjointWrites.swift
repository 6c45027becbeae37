/// A pointer through which several workers write, each to different elements.
///
/// Unchecked because the compiler cannot verify that the elements are disjoint; the code that creates a value
/// must guarantee it.
package struct DisjointWrites<Element>: @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<Element>

    package init(_ pointer: UnsafeMutablePointer<Element>) { self.pointer = pointer }

    package subscript(index: Int) -> Element {
        get { pointer[index] }
        nonmutating set { pointer[index] = newValue }
    }
}
