#include "plugin/memory/planner.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/memory/trees.hpp"

#include <QtTest/QtTest>

#include <numeric>
#include <random>

namespace strided_residents_test {

using namespace lowtide;
using namespace lowtide::memory;

namespace {

/// As it is defined: of all counts the one that takes most, each position by its formula.
std::vector<bool> chosenSlowly(const Layout& layout, Bytes bytes) {
    const std::vector<GroupId> candidates = streamableGroups(layout);
    const size_t n = candidates.size();
    std::vector<bool> best(layout.groups.size(), false);
    Bytes most = 0;
    for (size_t count = 1; count <= n; ++count) {
        std::vector<bool> flags(layout.groups.size(), false);
        Bytes taken = 0;
        for (size_t i = 0; i < count; ++i) {
            const GroupId group = candidates[(i * n + count / 2) / count];
            flags[group] = true;
            taken += layout.groups[group].bytes;
        }
        if (taken <= bytes && taken > most) {
            most = taken;
            best = flags;
        }
    }
    return best;
}

}  // namespace

class StridedResidentsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void residentsAreThoseOfTheFormula() {
        std::mt19937 random(20);
        for (const size_t leaves : {1, 2, 3, 7, 48, 97, 128}) {
            std::vector<int64_t> sizes;
            for (size_t i = 0; i < leaves; ++i) {
                sizes.push_back(128 * static_cast<int64_t>(1 + random() % 9));
            }
            const Layout layout = groupByLeaf(*testing::tree("denoiser", sizes));
            const Bytes all = 4 * std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
            const StridedResidents strides(layout);
            for (Bytes fraction = 0; fraction <= 20; ++fraction) {
                QCOMPARE(strides.within(all * fraction / 20),
                         chosenSlowly(layout, all * fraction / 20));
            }
        }
    }
};

LOWTIDE_TEST(StridedResidentsTest)

}  // namespace strided_residents_test

#include "strided_residents_test.moc"
