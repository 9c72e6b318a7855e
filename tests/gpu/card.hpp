#pragma once

#include "plugin/residency/device/cuda/cuda_library.hpp"

#include <QString>
#include <QTest>

namespace lowtide::testing {

/// The cards of this machine through this build's library. Before any tensor of the test.
[[nodiscard]] std::shared_ptr<const residency::CudaLibrary> cards();

/// Why a test of a card is skipped; empty: there is one. LOWTIDE_REQUIRE_CARD=1 makes a machine
/// without a card a failure.
[[nodiscard]] QString reasonToSkip();

}  // namespace lowtide::testing

/// Ends the slot (in initTestCase: all of them) where there is no card.
#define LOWTIDE_NEEDS_CARD()                                                              \
    if (const QString reason = lowtide::testing::reasonToSkip(); !reason.isEmpty()) {     \
        QVERIFY2(!qEnvironmentVariableIsSet("LOWTIDE_REQUIRE_CARD"), qPrintable(reason)); \
        QSKIP(qPrintable(reason));                                                        \
    }                                                                                     \
    static_assert(true)
