#pragma once

#include "plugin/memory/engine.hpp"
#include "plugin/memory/ledger.hpp"
#include "plugin/residency/change_math.hpp"
#include "plugin/residency/master_store.hpp"
#include "plugin/residency/pinned_store.hpp"

#include <exception>
#include <memory>
#include <mutex>

namespace lowtide::residency {

/// Counters that the run thread adds to and any thread reads.
class TrafficCounter {
public:
    void reset();
    void addCopy(Bytes toDevice, Bytes read);
    void addRead(Bytes bytes);
    /// Rows of a gathered table.
    void addRows(Bytes toDevice, Bytes read);
    void addLease();
    void addMiss();
    /// A pass of an access pattern begins: what is copied from now on is its.
    void beginPass(uint32_t pattern);
    /// What is copied from now on belongs to no pass.
    void endPass();
    void beginStage();
    /// With the patterns since beginStage().
    void addStage(memory::StageTraffic stage);
    [[nodiscard]] memory::Traffic snapshot() const;

private:
    mutable std::mutex mutex_;
    memory::Traffic traffic_;
    memory::PatternsTraffic patterns_;                  ///< of the stage
    memory::PatternTraffic* currentPattern_ = nullptr;  ///< among them
};

/// What every part of residency writes down or reads from: one of each per engine.
struct Bookkeeping {
    memory::Ledger ledger;
    TrafficCounter traffic;
    MasterStore masters;
    PinnedStore pins;
    std::shared_ptr<const ChangeMath> changes{};  ///< null: no tree has any

    /// For a tree with changes. Error{Internal} where no mathematics was supplied.
    [[nodiscard]] const ChangeMath& mathOf(const memory::ComponentTree& tree) const;

    /// For what must not throw: an error of `work` becomes the ledger's fault, which ends the run.
    template <typename Work>
    void noteThrown(const Work& work) noexcept {
        try {
            work();
        } catch (const std::exception& error) {
            ledger.noteFault(error.what());
        } catch (...) {
            ledger.noteFault("an exception of an unknown type was thrown");
        }
    }
};

}  // namespace lowtide::residency
