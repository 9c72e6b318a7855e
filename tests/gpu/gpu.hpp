#pragma once

#include "plugin/residency/device/cuda/cuda_library.hpp"

#include <QString>
#include <QTest>

namespace lowtide::testing {

/// The GPUs of this machine through this build's library. Before any tensor of the test.
[[nodiscard]] std::shared_ptr<const residency::CudaLibrary> gpus();

/// Why a test of a GPU is skipped; empty: there is one. LOWTIDE_REQUIRE_CARD=1 makes a machine
/// without a GPU a failure.
[[nodiscard]] QString reasonToSkip();

}  // namespace lowtide::testing

/// Ends the slot (in initTestCase: all of them) where there is no GPU.
#define LOWTIDE_NEEDS_GPU()                                                               \
    if (const QString reason = lowtide::testing::reasonToSkip(); !reason.isEmpty()) {     \
        QVERIFY2(!qEnvironmentVariableIsSet("LOWTIDE_REQUIRE_CARD"), qPrintable(reason)); \
        QSKIP(qPrintable(reason));                                                        \
    }                                                                                     \
    static_assert(true)
