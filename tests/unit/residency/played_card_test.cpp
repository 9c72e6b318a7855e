// The engine on a card that is played: its copies go through the ring of pinned memory, are widened
// on arrival and come late, as on a real one; its tensors are the host's.
#include "plugin/residency/device/cuda/card_lane.hpp"
#include "tests/unit/residency/engine_bench.hpp"
#include "tests/unit/residency/played_streams.hpp"

#include <ATen/ATen.h>

#include <QTest>

#include <cstring>

using namespace lowtide;
using memory::Tag;
using residency::EventRef;
using testing::SyntheticModel;

namespace {

constexpr Bytes kStaging = 64 * kKiB;  ///< less than some weights take
constexpr Seconds kDelay = 0.001;

const memory::DeviceSpec kCard{.kind = "cuda"};

class PlayedArena final : public residency::Arena {
public:
    PlayedArena(Bytes bytes, Bytes& counter)
        : bytes_(static_cast<size_t>(bytes) + 512), counter_(counter) {
        counter_ += bytes;
        size_ = bytes;
    }

    ~PlayedArena() override { counter_ -= size_; }

    std::byte* data() const override {
        const auto place = reinterpret_cast<uintptr_t>(bytes_.data());
        return bytes_.data() + (512 - place % 512) % 512;
    }

    Bytes size() const override { return size_; }

private:
    mutable std::vector<std::byte> bytes_;
    Bytes& counter_;
    Bytes size_;
};

class PlayedCard final : public residency::Device {
public:
    PlayedCard()
        : lane_(std::make_unique<testing::PlayedStreams>(
              testing::PlayedSettings{.longestDelay = kDelay})) {}

    memory::DeviceInfo info() const override {
        return {"cuda:0", "cuda", "Played card", kGiB, kGiB};
    }

    memory::DeviceTraits traits() const override {
        return {.capacity = kGiB, .capability = 89, .staging = kStaging, .pinnable = 256 * kKiB};
    }

    c10::Device torchDevice() const override { return at::kCPU; }

    std::unique_ptr<residency::Arena> allocate(Bytes bytes) override {
        return std::make_unique<PlayedArena>(alignUp(bytes, memory::kSlotAlignment), allocated_);
    }

    std::unique_ptr<residency::Arena> allocateStaging(Bytes bytes) override {
        return std::make_unique<PlayedArena>(bytes, pinned_);
    }

    void lendStaging(std::span<std::byte> memory) override { lane_.lendStaging(memory); }

    at::Tensor view(std::byte* data, at::IntArrayRef sizes, at::ScalarType type) override {
        return at::from_blob(data, sizes, at::TensorOptions(type));
    }

    void copyIn(std::byte* target,
                Bytes bytes,
                residency::ByteSource source,
                std::string) override {
        lane_.copyIn({.target = target, .bytes = bytes}, std::move(source));
    }

    void copyInStaged(const residency::Crossing& crossing,
                      const std::byte* staged,
                      std::function<bool()> prepare,
                      std::string) override {
        lane_.copyInStaged(crossing, staged, std::move(prepare));
    }

    bool widens(const residency::TypeChange& change) const override {
        return sizeOf(change.from) < sizeOf(change.to);
    }

    void copyInWidened(const residency::Crossing& crossing,
                       residency::ByteSource source,
                       std::string) override {
        lane_.copyIn(crossing, std::move(source));
    }

    void copyOut(std::byte* target, const std::byte* source, Bytes bytes, std::string) override {
        lane_.copyOut(target, source, bytes);
    }

    void discard(std::byte* target, Bytes bytes, std::string) override {
        lane_.spoil(target, bytes);
    }

    EventRef markCopy() override { return lane_.markCopy(); }

    EventRef markCompute() override { return lane_.markCompute(); }

    void copyWaits(const EventRef& event) override { lane_.copyWaits(event); }

    /// The host computes, so it has to wait for the bytes as well.
    void computeWaits(const EventRef& event) override {
        lane_.computeWaits(event);
        lane_.hostWaits(event);
    }

    void hostWaits(const EventRef& event) override { lane_.hostWaits(event); }

    void finishCompute() override { lane_.finishCompute(); }

    void drain() noexcept override { lane_.drain(); }

    memory::LaneTimes laneTimes() const override { return lane_.times(); }

    Bytes allocated() const override { return allocated_; }

    Bytes peakAllocated() const override { return allocated_; }

    void resetPeak() override {}

    void cap(Bytes) override {}

    residency::AllocatorState allocatorState() const override { return {}; }

private:
    Bytes allocated_ = 0;
    Bytes pinned_ = 0;
    residency::CardLane lane_;
};

class PlayedSource final : public residency::DeviceSource {
public:
    std::unique_ptr<residency::Device> open(const memory::DeviceSpec&) override {
        return std::make_unique<PlayedCard>();
    }

    std::vector<memory::DeviceInfo> available() override { return {}; }
};

}  // namespace

class PlayedCardTest : public QObject {
    Q_OBJECT

    testing::WeightFolder folder_;

private Q_SLOTS:

    void everyWeightIsItsMaster_data() {
        QTest::addColumn<QString>("policy");
        for (const char* policy : testing::kPolicies) {
            QTest::addRow("%s", policy) << policy;
        }
        for (const char* policy : {"leaf,pin=0",
                                   "leaf+stream,pin=0",
                                   "leaf+stream,pin=1GiB",
                                   "block+stream,pin=20KiB",
                                   "sequential,pin=100KiB"}) {
            QTest::addRow("%s", policy) << policy;
        }
    }

    void everyWeightIsItsMaster() {
        QFETCH(QString, policy);
        const SyntheticModel model(folder_.newPath(), {.scale = 4});
        residency::Residency residency(std::make_unique<PlayedSource>());
        residency.open(kCard);
        memory::PlanRequest request =
            model.request(policy.toStdString(), kCard, residency.traits(kCard));
        request.devices.push_back({.spec = {}, .traits = {.capacity = kGiB}});
        const auto plan = testing::planOf(request);
        for (int run = 0; run < 2; ++run) {
            residency.begin(plan, {});
            for (memory::NodeIndex node = 0; node < model.trees().size(); ++node) {
                residency.enter(node);
                for (int pass = 0; pass < 3; ++pass) {
                    residency.beginPass(*model.trees()[node], {});
                    compare(residency, model, *model.trees()[node]);
                }
                residency.confirm(node);
                compareStaging(residency, plan->stages[node]);
                residency.leave(node);
            }
            residency.end(memory::Outcome::Finished);
            QCOMPARE(residency.ledger().bytesOn("cpu", Tag::Staging), Bytes{0});
        }
        QCOMPARE(residency.allocatedOn(kCard), Bytes{0});
        Seconds copied = 0;
        for (const memory::StageTraffic& stage : residency.traffic().stages) {
            copied += stage.lanes.contains("cuda:0") ? stage.lanes.at("cuda:0").copy : 0;
        }
        QVERIFY(copied > 0);
    }

private:
    static void compare(residency::Residency& residency,
                        const SyntheticModel& model,
                        const memory::ComponentTree& tree) {
        for (memory::LeafId leaf = 0; leaf < tree.leaves.size(); ++leaf) {
            if (tree.leaves[leaf].gathered) {
                continue;
            }
            const residency::Lease lease = residency.use(tree, leaf);
            for (size_t i = 0; i < lease.size(); ++i) {
                const memory::Weight& weight = tree.weights[tree.leaves[leaf].weights[i]];
                QVERIFY2(at::equal(lease[i], model.expected(tree, weight)), weight.name.c_str());
            }
        }
    }

    /// Scratch of conversions may be planned and not needed, since the card widens.
    static void compareStaging(residency::Residency& residency, const memory::StagePlan& stage) {
        for (const memory::StageBytes& bytes : stage.bytes) {
            if (bytes.device == "cpu") {
                const Bytes held = residency.ledger().bytesOn("cpu", Tag::Staging);
                QVERIFY(held >= kStaging);
                QVERIFY2(held <= bytes.staging,
                         qPrintable(QString("%1 of %2").arg(held).arg(bytes.staging)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(PlayedCardTest)
#include "played_card_test.moc"
