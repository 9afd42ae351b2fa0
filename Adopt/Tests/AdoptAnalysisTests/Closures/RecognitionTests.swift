import Testing

/// Closures that get several results, one after the other.
struct RecognitionTests {
  @Test func `a speech recognizer that also reports partial results gives no finding`() {
    expectNoFindings(
      in: """
        func words(completion: @escaping (String) -> Void) {
          recognizer.recognitionTask(with: request) { result, error in
            if let result, result.isFinal { completion(result.text) }
          }
        }
        """)
  }
}
