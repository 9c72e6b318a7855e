#include "plugin/base/error.hpp"
#include "plugin/residency/device/cuda/cuda_driver.hpp"
#include "plugin/residency/device/cuda/cuda_library.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QTest>

namespace cuda_driver_test {

using namespace lowtide;
using residency::askCudaDriver;
using residency::CudaDriver;
using residency::CudaLibrary;

namespace {

const residency::CudaNeeds kNeeded;

std::string played(const char* part) {
    qputenv("LOWTIDE_PLAYED_DRIVER", part);
    return testing::buildPath("lib/played/libcuda.so.1").toStdString();
}

QString problemOf(const CudaDriver& driver) {
    return QString::fromStdString(driver.problem.str());
}

}  // namespace

/// What is reported and done on machines without a GPU, or with a driver that is of no use.
class CudaDriverTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void explainsWhyThereIsNoGpu_data() {
        const testing::Rows<QString, QString> row("part", "expected");
        row("no GPU", "none", "finds no GPU");
        row("does not start", "silent", "unknown error of the played driver");
        row("too old", "old", "runs CUDA 12.4, LibTorch needs 13.0");
        row("strange", "broken", "cannot describe its GPUs");
    }

    void explainsWhyThereIsNoGpu() {
        QFETCH(QString, part);
        QFETCH(QString, expected);
        const CudaDriver driver = askCudaDriver(kNeeded, played(qPrintable(part)));
        QVERIFY2(problemOf(driver).contains(expected), qPrintable(problemOf(driver)));
        QVERIFY(driver.gpus.empty());
    }

    void reportsThatThereIsNoDriver() {
        const CudaDriver driver = askCudaDriver(kNeeded, "libnowhere.so.1");
        QVERIFY(problemOf(driver).contains("no NVIDIA driver"));
        QCOMPARE(driver.version, 0);
    }

    void refusesALibraryThatIsNoDriver() {
        const CudaDriver driver = askCudaDriver(kNeeded, "libz.so.1");
        QVERIFY2(problemOf(driver).contains("cuInit"), qPrintable(problemOf(driver)));
    }

    void describesTheGpus() {
        const CudaDriver driver = askCudaDriver(kNeeded, played("cards"));
        QCOMPARE(problemOf(driver), QString());
        QCOMPARE(driver.version, 13000);
        QCOMPARE(driver.gpus.size(), 2u);
        QCOMPARE(driver.gpus[0].name, "Played card");
        QCOMPARE(driver.gpus[0].capacity, 24 * kGiB);
        QCOMPARE(driver.gpus[0].capability, 89);
        QCOMPARE(driver.gpus[1].index, 1);
        QCOMPARE(driver.gpus[0].problem.str(), "");
        QCOMPARE(driver.gpus[1].capability, 61);
        QCOMPARE(driver.gpus[1].problem.str(),
                 "Old card has compute capability 6.1, LibTorch needs 7.5");
    }

    void refusesGpusThatAreAllTooOld() {
        const CudaDriver driver = askCudaDriver({.capability = 90}, played("cards"));
        QVERIFY2(problemOf(driver).contains("8.9, LibTorch needs 9.0"),
                 qPrintable(problemOf(driver)));
        QVERIFY(driver.gpus.empty());
    }

    void reportsThatTheBuildHasNoCuda() {
        const CudaLibrary library("/nowhere", played("cards"));
        QVERIFY(problemOf(library.driver()).contains("liblowtide_cuda.so"));
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(library.open(0)), Error);
    }

    void opensNothingWithoutAGpu() {
        const CudaLibrary library(testing::buildPath("lib").toStdString(), played("none"));
        QVERIFY(!library.problem().empty());
        QCOMPARE(library.build().cudnn, int64_t{0});
        QVERIFY(!library.askConvolution({.input = {1, 4, 8, 8}, .weight = {4, 4, 3, 3}}));
    }
};

LOWTIDE_TEST(CudaDriverTest)

}  // namespace cuda_driver_test

#include "cuda_driver_test.moc"
