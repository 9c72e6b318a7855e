// What each policy means, read off the time lines of real runs: which groups are on the GPU at
// once.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace policy_meaning_test {

using namespace lowtide;

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kEncoders = {"encode_a", "encode_b", "encode_c", "encode_d"};
const std::vector<std::string> kStages = {
    "encode_a", "encode_b", "encode_c", "encode_d", "denoise", "refine", "decode"};
/// docs/memory.md: the largest ring buffer of leaf+stream, in units of the largest adjacent pair.
constexpr double kMostRingBufferFloors = 2.5;

/// A group on the GPU: which component of which checkpoint, and its part of it.
struct OnGpu {
    std::string subject;    ///< "denoiser.mid_block.attentions.0.norm"
    std::string broughtIn;  ///< the node that ran when it was copied
    int64_t bytes = 0;

    [[nodiscard]] std::string role() const { return subject.substr(0, subject.find('.')); }

    /// The four encoders have one role and the same groups; each has a node of its own.
    [[nodiscard]] std::string component() const {
        return role() == "text_encoder" ? role() + " of " + broughtIn : role();
    }
};

/// What lies on the GPU after each copy of a run.
class Residents {
public:
    explicit Residents(const Json& report) {
        for (const Json& event : report.at("timeline")) {
            const std::string what = event.at("what");
            const OnGpu group{.subject = event.at("subject"),
                              .broughtIn = event.at("node"),
                              .bytes = event.at("bytes")};
            if (what == "enter") {
                entered_ = group.broughtIn;
            } else if (what == "copy") {
                now_.push_back(group);
                copied_.push_back(group);
                moments_.push_back(now_);
            } else if (what == "evict") {
                evictedBeforeTheEnd_ += entered_ == "save" ? 0 : 1;
                now_.erase(std::find_if(now_.begin(), now_.end(), [&](const OnGpu& there) {
                    return there.subject == group.subject;
                }));
            }
        }
    }

    /// One entry for each copy, in order.
    [[nodiscard]] const std::vector<OnGpu>& copied() const { return copied_; }

    [[nodiscard]] const std::vector<OnGpu>& left() const { return now_; }

    [[nodiscard]] int evictedBeforeTheEnd() const { return evictedBeforeTheEnd_; }

    /// The most that `measure` gives for what is on the GPU at one moment.
    template <class Measure>
    [[nodiscard]] int64_t most(const Measure& measure) const {
        int64_t most = 0;
        for (const std::vector<OnGpu>& moment : moments_) {
            most = std::max<int64_t>(most, measure(moment));
        }
        return most;
    }

    [[nodiscard]] int64_t mostGroups() const {
        return most([](const auto& moment) { return static_cast<int64_t>(moment.size()); });
    }

    [[nodiscard]] int64_t mostComponents() const {
        return most([](const auto& moment) {
            std::set<std::string> components;
            for (const OnGpu& group : moment) {
                components.insert(group.component());
            }
            return static_cast<int64_t>(components.size());
        });
    }

    [[nodiscard]] int64_t mostBytes() const {
        return most([](const auto& moment) {
            int64_t bytes = 0;
            for (const OnGpu& group : moment) {
                bytes += group.bytes;
            }
            return bytes;
        });
    }

    /// Bytes of each group that was ever copied.
    [[nodiscard]] std::map<std::string, int64_t> groups() const {
        std::map<std::string, int64_t> groups;
        for (const OnGpu& group : copied_) {
            groups[group.subject] = group.bytes;
        }
        return groups;
    }

private:
    std::vector<OnGpu> now_;
    std::vector<OnGpu> copied_;
    std::vector<std::vector<OnGpu>> moments_;
    std::string entered_;
    int evictedBeforeTheEnd_ = 0;
};

/// Whether the group is all leaves below one numbered part of the network or its middle.
bool isOneBlock(const std::string& subject,
                int64_t bytes,
                const std::map<std::string, int64_t>& leaves) {
    for (size_t end = subject.size(); end != std::string::npos; end = subject.rfind('.', end - 1)) {
        const std::string path = subject.substr(0, end);
        const bool isBlock = std::isdigit(static_cast<unsigned char>(path.back())) != 0 ||
                             path.ends_with(".mid_block");
        int64_t below = 0;
        for (const auto& [leaf, own] : leaves) {
            below += leaf == path || leaf.starts_with(path + ".") ? own : 0;
        }
        if (isBlock && below == bytes) {
            return true;
        }
    }
    return false;
}

/// Whether the group begins outside of every block of its network.
bool isBetweenBlocks(const std::string& subject) {
    return subject.find("blocks.") == std::string::npos &&
           subject.find("layers.") == std::string::npos &&
           subject.find("mid_block.") == std::string::npos;
}

}  // namespace

/// Four encoders of four checkpoints, two samplings by one denoiser, and a decoder, all
/// under one policy.
class PolicyMeaningTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::map<std::string, int64_t> leaves_;  ///< bytes of each leaf that is used
    std::vector<OnGpu> leafOrder_;           ///< as leaves are used
    std::map<std::string, Residents> runs_;

    std::string modelFolder(const std::string& letter) const {
        return folder_.filePath(QString::fromStdString("model_" + letter)).toStdString();
    }

    /// encode_a and encode_b feed the first pass, encode_c and encode_d the second.
    Json graph() const {
        Json nodes;
        Json links = Json::array();
        const auto link = [&](const char* from, const char* out, const char* to, const char* in) {
            links.push_back({{"from", {from, out}}, {"to", {to, in}}});
        };
        for (const std::string letter : {"a", "b", "c", "d"}) {
            const std::string load = "load_" + letter;
            const std::string encode = "encode_" + letter;
            nodes[load] = {{"type", "load.checkpoint"},
                           {"params", {{"checkpoint", modelFolder(letter)}}}};
            nodes[encode] = {{"type", "prompt.encode"}, {"params", {{"prompt", "cat " + letter}}}};
            link(load.c_str(), "model", encode.c_str(), "model");
        }
        nodes["latent"] = {{"type", "latent.empty"}, {"params", {{"width", 64}, {"height", 64}}}};
        nodes["denoise"] = {{"type", "denoise.sample"},
                            {"params", {{"steps", 3}, {"end_step", 1}, {"keep_noise", true}}}};
        nodes["refine"] = {{"type", "denoise.sample"},
                           {"params", {{"steps", 3}, {"start_step", 1}, {"add_noise", false}}}};
        nodes["decode"] = {{"type", "decode.image"}};
        nodes["save"] = {{"type", "save.image"}};
        for (const char* node : {"denoise", "refine", "decode"}) {
            link("load_a", "model", node, "model");
        }
        link("encode_a", "positive", "denoise", "positive");
        link("encode_b", "positive", "denoise", "negative");
        link("encode_c", "positive", "refine", "positive");
        link("encode_d", "positive", "refine", "negative");
        link("latent", "latent", "denoise", "latent");
        link("denoise", "latent", "refine", "latent");
        link("refine", "latent", "decode", "latent");
        link("decode", "image", "save", "image");
        return {{"format", 1}, {"nodes", nodes}, {"links", links}};
    }

    Json reportOf(const std::string& policy) {
        std::vector<std::string> policies;
        for (const std::string& stage : kStages) {
            policies.push_back(stage + "=" + policy);
        }
        const testing::ModuleRun run =
            testing::runModule(graph().dump(),
                               {{"device", "fake:1GiB"},
                                {"out", folder_.filePath("out").toStdString()},
                                {"policies", policies},
                                {"timeline", folder_.filePath("timeline.jsonl").toStdString()},
                                {"forceExecution", true}});
        if (run.status != Status::Ok) {
            throw std::runtime_error(policy + ": " + run.report.dump());
        }
        return run.report;
    }

    /// Of one run for each policy.
    const Residents& run(const std::string& policy) {
        auto known = runs_.find(policy);
        if (known == runs_.end()) {
            known = runs_.emplace(policy, Residents(reportOf(policy))).first;
        }
        return known->second;
    }

    /// The largest two leaves that are used one after the other, also from one pass to the next.
    int64_t largestPair() const {
        int64_t largest = 0;
        for (size_t i = 1; i < leafOrder_.size(); ++i) {
            largest = std::max(largest, leafOrder_[i - 1].bytes + leafOrder_[i].bytes);
        }
        return largest;
    }

private Q_SLOTS:

    void initTestCase() {
        for (const char* letter : {"a", "b", "c", "d"}) {
            fs::copy(testing::sourcePath("resources/mini/model").toStdString(),
                     modelFolder(letter),
                     fs::copy_options::recursive);
        }
        const Residents& leaves = run("sequential");
        leaves_ = leaves.groups();
        leafOrder_ = leaves.copied();
        QVERIFY(leaves_.size() > 100);
    }

    void none_keepsAllToTheEnd() {
        const Residents& residents = run("none");

        QCOMPARE(residents.evictedBeforeTheEnd(), 0);
        std::map<std::string, int> copies;
        for (const OnGpu& group : residents.copied()) {
            ++copies[group.component() + group.subject];
        }
        for (const auto& [group, count] : copies) {
            QVERIFY2(count == 1, group.c_str());
        }
        QCOMPARE(residents.mostComponents(), int64_t(kEncoders.size() + 2));
        QVERIFY(residents.left().empty());
    }

    void model_isOneComponentAtATime() {
        const Residents& residents = run("model");

        QCOMPARE(residents.mostComponents(), int64_t{1});
        QVERIFY(residents.left().empty());
        QVERIFY(residents.groups() == leaves_);
    }

    /// The next one arrives while the other computes.
    void modelStream_isTwoComponentsAtMost() {
        QCOMPARE(run("model+stream").mostComponents(), int64_t{2});
    }

    void sequential_isOneLeafAtATime() {
        const Residents& residents = run("sequential");

        QCOMPARE(residents.mostGroups(), int64_t{1});
        for (const auto& [group, bytes] : run("none").groups()) {
            QVERIFY2(leaves_.at(group) == bytes, group.c_str());
        }
        QVERIFY(residents.left().empty());
    }

    void leaf_isOneLeafAtATime() {
        const Residents& residents = run("leaf");

        QCOMPARE(residents.mostGroups(), int64_t{1});
        QVERIFY(residents.groups() == leaves_);
    }

    void leafWithABudget_keepsWithinIt() {
        constexpr int64_t kBudget = 2 << 20;

        const Residents& residents = run("leaf,budget=2MiB");

        QVERIFY(residents.mostBytes() <= kBudget);
        QVERIFY(residents.mostBytes() > kBudget / 2);
        QVERIFY(residents.groups() == leaves_);
    }

    void leafStream_isARingBufferOfNeighbours() {
        const Residents& residents = run("leaf+stream");

        QVERIFY(residents.groups() == leaves_);
        QVERIFY(residents.mostGroups() > 1);
        QVERIFY2(static_cast<double>(residents.mostBytes()) <=
                     kMostRingBufferFloors * static_cast<double>(largestPair()),
                 qPrintable(QString::number(residents.mostBytes())));
    }

    void block_isOneGroupOfBlocks_data() {
        testing::addTable<QString, int, int>({"policy", "blocks", "groups"},
                                             {{"block:1", "block:1", 1, 1},
                                              {"block:1+stream", "block:1+stream", 1, 2},
                                              {"block:2", "block:2", 2, 1},
                                              {"block:2+stream", "block:2+stream", 2, 2},
                                              {"block:3", "block:3", 3, 1},
                                              {"block:3+stream", "block:3+stream", 3, 2}});
    }

    /// At most `blocks` in each of at most `groups`: k blocks, with stream 2 k.
    void block_isOneGroupOfBlocks() {
        QFETCH(QString, policy);
        QFETCH(int, blocks);
        QFETCH(int, groups);
        const std::map<std::string, int64_t> single = run("block:1").groups();

        const Residents& residents = run(policy.toStdString());

        QCOMPARE(residents.mostGroups(), int64_t(groups));
        QVERIFY(residents.left().empty());
        for (const auto& [group, bytes] : residents.groups()) {
            // Half of the autoencoder is never used, so the sizes of its blocks are not known.
            const bool isKnown = !group.starts_with("autoencoder.");
            QVERIFY2(!isKnown || holdsAtMost(blocks, group, bytes, single), group.c_str());
        }
    }

    void block1_isABlockOfTheNetwork() {
        for (const auto& [group, bytes] : run("block:1").groups()) {
            QVERIFY2(isBetweenBlocks(group) || isOneBlock(group, bytes, leaves_), group.c_str());
        }
    }

    void auto_keepsWhatFits() {
        const Residents& residents = run("auto");

        std::map<std::string, int> copies;
        for (const OnGpu& group : residents.copied()) {
            ++copies[group.component() + group.subject];
        }
        for (const auto& [group, count] : copies) {
            QVERIFY2(count == 1, group.c_str());
        }
    }

private:
    /// Whether the group's bytes are those of its first block and at most `blocks` - 1 others of
    /// its component.
    static bool holdsAtMost(int blocks,
                            const std::string& group,
                            int64_t bytes,
                            const std::map<std::string, int64_t>& single) {
        const std::string role = group.substr(0, group.find('.') + 1);
        std::set<int64_t> sums = {single.at(group)};
        for (int more = 1; more < blocks; ++more) {
            const std::set<int64_t> before = sums;
            for (const auto& [other, own] : single) {
                for (const int64_t sum : before) {
                    if (other.starts_with(role) && other != group) {
                        sums.insert(sum + own);
                    }
                }
            }
        }
        return sums.contains(bytes);
    }
};

LOWTIDE_TEST(PolicyMeaningTest)

}  // namespace policy_meaning_test

#include "policy_meaning_test.moc"
