import Testing

/// Closures that get one result after the other.
struct RecognitionTests {
  @Test func aRecognizerTellsPartialResultsToo() {
    expectSilence(
      in: """
        func words(completion: @escaping (String) -> Void) {
          recognizer.recognitionTask(with: request) { result, error in
            if let result, result.isFinal { completion(result.text) }
          }
        }
        """)
  }
}
