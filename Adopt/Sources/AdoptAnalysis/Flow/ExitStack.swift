import SwiftSyntax

/// The open scopes, and where `break`, `continue`, `fallthrough`, `return` and errors lead to.
///
/// Deferred blocks run on the way out of a scope. The stack only lists them: its owner adds their steps.
struct ExitStack {
  /// A step outside some scopes.
  struct Destination: Equatable {
    let step: Int
    /// The number of scopes that stay open.
    let depth: Int
  }

  /// The statement that `break` and `continue` refer to.
  fileprivate struct Target {
    let label: String?
    let onBreak: Destination
    let onContinue: Destination?
    /// Whether a `break` without a label ends here.
    let takesPlainBreak: Bool
  }

  struct Catcher {
    let destination: Destination
    /// The exit of the function, or of a closure whose errors are ignored. Nil if the code catches errors.
    let exit: Graph.Exit?
  }

  /// The function or closure that `return` leaves.
  struct Region {
    let destination: Destination
    let isNested: Bool
    /// Whether leaving it without a call can be a finding.
    let counts: Bool
  }

  fileprivate struct Scope {
    let names: Int
    var deferred: [DeferredBlock] = []
  }

  struct DeferredBlock {
    let body: CodeBlockItemListSyntax
    let range: Range<Int>
    /// The number of names that are in scope in the block.
    let names: Int
    fileprivate let id: Int
    /// The index of its scope.
    fileprivate let scope: Int
    /// The number of blocks of the same scope that were registered before it, and so run after it.
    fileprivate let position: Int
  }

  /// The exits that a closure or a deferred block hides.
  struct Hidden {
    /// Nil if the open scopes are not hidden.
    fileprivate let scopes: [Scope]?
    fileprivate let targets: [Target]
    fileprivate let fallthroughTargets: [Destination]
    fileprivate let catcher: Catcher?
  }

  private struct Key: Hashable {
    let block: Int
    let next: Int
  }

  private var scopes: [Scope] = []
  private var targets: [Target] = []
  private var fallthroughTargets: [Destination] = []
  private var regions: [Region] = []
  private var blockCount = 0
  private var firstSteps: [Key: Int] = [:]
  /// Where errors lead to. Nil if they end the program.
  var catcher: Catcher?

  /// Creates the exits of a function.
  init(returningTo exit: Int, throwingTo thrown: Int?) {
    regions = [Region(destination: Destination(step: exit, depth: 0), isNested: false, counts: true)]
    catcher = thrown.map { Catcher(destination: Destination(step: $0, depth: 0), exit: .throwsOut) }
  }

  // MARK: - Scopes

  /// The number of open scopes.
  var depth: Int { scopes.count }

  /// Opens a scope.
  ///
  /// - Parameter names: The number of names that are in scope outside of it.
  mutating func openScope(names: Int) {
    scopes.append(Scope(names: names))
  }

  /// Closes the current scope, and returns the number of names that are in scope outside of it.
  @discardableResult
  mutating func closeScope() -> Int {
    scopes.removeLast().names
  }

  /// Returns a step as the destination of exits from inner scopes.
  func destination(_ step: Int) -> Destination {
    Destination(step: step, depth: depth)
  }

  // MARK: - Jumps

  /// Makes errors lead to a step.
  mutating func catchErrors(at step: Int) {
    catcher = Catcher(destination: destination(step), exit: nil)
  }

  /// Opens a statement that `break`, and `continue` if it has a target for that, can refer to.
  mutating func openTarget(
    label: String?, onBreak: Int, onContinue: Int? = nil, takesPlainBreak: Bool = true
  ) {
    targets.append(
      Target(
        label: label, onBreak: destination(onBreak), onContinue: onContinue.map(destination),
        takesPlainBreak: takesPlainBreak))
  }

  mutating func closeTarget() {
    targets.removeLast()
  }

  func breakTarget(label: String?) -> Destination? {
    targets.last { label == nil ? $0.takesPlainBreak : $0.label == label }?.onBreak
  }

  func continueTarget(label: String?) -> Destination? {
    targets.last { $0.onContinue != nil && (label == nil || $0.label == label) }?.onContinue
  }

  mutating func openFallthroughTarget(_ step: Int) {
    fallthroughTargets.append(destination(step))
  }

  mutating func closeFallthroughTarget() {
    fallthroughTargets.removeLast()
  }

  var fallthroughTarget: Destination? { fallthroughTargets.last }

  // MARK: - Closures

  var region: Region? { regions.last }

  /// Opens a closure or local function: `break` and `continue` cannot leave it, and `return` leads to its end.
  ///
  /// - Parameters:
  ///   - counts: Whether leaving it without a call can be a finding.
  ///   - swallowsErrors: Whether errors end the closure only. Otherwise they lead to the same place as outside of it.
  mutating func openRegion(exit: Int, counts: Bool, swallowsErrors: Bool) -> Hidden {
    let hidden = Hidden(
      scopes: nil, targets: targets, fallthroughTargets: fallthroughTargets, catcher: catcher)
    targets = []
    fallthroughTargets = []
    if swallowsErrors { catcher = Catcher(destination: destination(exit), exit: .closureThrows) }
    regions.append(Region(destination: destination(exit), isNested: true, counts: counts))
    return hidden
  }

  mutating func closeRegion(restoring hidden: Hidden) {
    regions.removeLast()
    restore(hidden)
  }

  private mutating func restore(_ hidden: Hidden) {
    if let scopes = hidden.scopes { self.scopes = scopes }
    targets = hidden.targets
    fallthroughTargets = hidden.fallthroughTargets
    catcher = hidden.catcher
  }

  // MARK: - Deferred blocks

  /// Registers a deferred block in the current scope.
  mutating func deferBlock(_ body: CodeBlockItemListSyntax, range: Range<Int>, names: Int) {
    guard let scope = scopes.indices.last else { return }
    blockCount += 1
    scopes[scope].deferred.append(
      DeferredBlock(
        body: body, range: range, names: names, id: blockCount, scope: scope,
        position: scopes[scope].deferred.count))
  }

  var hasDeferredBlocks: Bool { scopes.last?.deferred.isEmpty == false }

  /// Returns the deferred blocks of all scopes but the first `depth`. The last one runs first.
  func deferredBlocks(beyond depth: Int) -> [DeferredBlock] {
    scopes.dropFirst(depth).flatMap(\.deferred)
  }

  /// Returns the first step of a deferred block before `next`, if it was added already. Paths with the same end share
  /// these steps.
  func firstStep(of block: DeferredBlock, before next: Int) -> Int? {
    firstSteps[Key(block: block.id, next: next)]
  }

  mutating func setFirstStep(_ step: Int, of block: DeferredBlock, before next: Int) {
    firstSteps[Key(block: block.id, next: next)] = step
  }

  /// Opens a deferred block: the scopes in its scope are closed, and so are the blocks that ran before it.
  mutating func open(_ block: DeferredBlock) -> Hidden {
    let hidden = Hidden(
      scopes: scopes, targets: targets, fallthroughTargets: fallthroughTargets, catcher: catcher)
    scopes.removeLast(scopes.count - block.scope - 1)
    scopes[block.scope].deferred.removeLast(scopes[block.scope].deferred.count - block.position)
    targets = []
    fallthroughTargets = []
    catcher = nil
    return hidden
  }

  mutating func closeBlock(restoring hidden: Hidden) {
    restore(hidden)
  }
}
