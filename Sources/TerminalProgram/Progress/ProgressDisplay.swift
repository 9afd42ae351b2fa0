import Synchronization

/// Shows the progress of the running work on a terminal, at most ten times a second. Does nothing if there is no
/// terminal.
public final class ProgressDisplay: Sendable {
  private let screen: Screen
  private let start = ContinuousClock.now
  private let table = Mutex(ProgressTable())
  private let ticker = Mutex<Task<Void, Never>?>(nil)

  /// Creates a display on this screen. Drawing starts about 0.2 seconds after the first work begins.
  public init(_ screen: Screen) { self.screen = screen }

  private var now: Duration { .now - start }

  /// Adds a line for one piece of work.
  public func begin(
    _ label: String, unit: ProgressLine.Unit = .bytes, completed: Int64 = 0, total: Int64? = nil
  ) -> Handle {
    let identifier = table.withLock {
      $0.begin(label, unit: unit, completed: completed, total: total, at: now)
    }
    startTicking()
    return Handle(display: self, identifier: identifier)
  }

  /// Removes all lines and stops the display.
  public func stop() async {
    let task = ticker.withLock { $0.take() }
    task?.cancel()
    await task?.value
    screen.show([])
    await screen.flush()
  }

  private func startTicking() {
    guard screen.showsProgress else { return }
    ticker.withLock { task in
      guard task == nil else { return }
      task = Task { [weak self] in
        // Short work does not need a progress bar, which would only flicker.
        try? await Task.sleep(for: .milliseconds(200))
        while !Task.isCancelled {
          self?.draw()
          try? await Task.sleep(for: .milliseconds(100))
        }
      }
    }
  }

  fileprivate func draw() {
    let (width, height) = screen.size
    // The last column stays free, because some terminals wrap when it is filled.
    screen.show(
      table.withLock {
        $0.lines(width: width - 1, height: height - 1, usesUnicode: screen.usesUnicode, at: now)
      })
  }

  fileprivate func change(_ body: @Sendable (inout ProgressTable, Duration) -> Void) {
    let now = now
    table.withLock { body(&$0, now) }
  }

  /// Reports the progress of one piece of work.
  public struct Handle: Sendable {
    fileprivate let display: ProgressDisplay
    fileprivate let identifier: Int

    /// Sets the name and the size of the work, and restarts the measurement of its rate. A nil total is not known.
    public func describe(_ label: String, completed: Int64, total: Int64?) {
      display.change { [identifier] in
        $0.describe(identifier, label: label, completed: completed, total: total, at: $1)
      }
    }

    /// Sets the completed amount (not an increment).
    public func advance(to completed: Int64) {
      display.change { [identifier] in $0.advance(identifier, to: completed, at: $1) }
    }

    /// Sets the total amount; nil if it is not known.
    public func expect(_ total: Int64?) {
      display.change { [identifier] table, _ in table.expect(identifier, total: total) }
    }

    /// Removes the line of the work. Later calls on this handle do nothing.
    public func end() {
      display.change { [identifier] table, _ in table.end(identifier) }
      display.draw()
    }
  }
}
