#include "plugin/residency/device/cpu/host_memory.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <string>
#include <utility>
#include <vector>

namespace host_memory_test {

using namespace lowtide;
using namespace lowtide::residency;

namespace {

/// Path below the root, and what the file has.
using Files = std::vector<std::pair<std::string, std::string>>;

const std::string kV2 = "sys/fs/cgroup";
const std::string kV1 = "sys/fs/cgroup/memory";

std::string gib(int count) {
    return std::to_string(count * kGiB) + "\n";
}

/// A machine of 64 GiB of which 60 are available.
HostMemory memoryOf(const Files& files) {
    const QTemporaryDir root;
    const auto write = [&](const std::string& path, const std::string& text) {
        const QString full = root.filePath(QString::fromStdString(path));
        QDir().mkpath(QFileInfo(full).path());
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text.c_str());
    };
    write("proc/meminfo", "MemTotal: 67108864 kB\nMemFree: 1 kB\nMemAvailable: 62914560 kB\n");
    for (const auto& [path, text] : files) {
        write(path, text);
    }
    return hostMemory(root.path().toStdString());
}

}  // namespace

/// What of the machine's memory the control groups of a process leave to it.
class HostMemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void theSmallestLimitUpTheTreeHolds_data() {
        QTest::addColumn<Files>("files");
        QTest::addColumn<int>("total");      // GiB
        QTest::addColumn<int>("available");  // GiB

        QTest::newRow("no group") << Files{} << 64 << 60;
        QTest::newRow("a group without a limit") << Files{{"proc/self/cgroup", "0::/user.slice\n"},
                                                          {kV2 + "/user.slice/memory.max", "max\n"}}
                                                 << 64 << 60;
        QTest::newRow("a container that sees its group as the top")
            << Files{{"proc/self/cgroup", "0::/\n"},
                     {kV2 + "/memory.max", gib(16)},
                     {kV2 + "/memory.current", gib(4)}}
            << 16 << 12;
        // docker --memory=16g, after a checkpoint of 10 GiB was read once.
        QTest::newRow("page cache is not used memory")
            << Files{{"proc/self/cgroup", "0::/\n"},
                     {kV2 + "/memory.max", gib(16)},
                     {kV2 + "/memory.current", gib(14)},
                     {kV2 + "/memory.stat", "anon 1\ninactive_file " + gib(10) + "active_file 7\n"}}
            << 16 << 12;
        QTest::newRow("a scope below a slice, each with a limit")
            << Files{{"proc/self/cgroup", "0::/user.slice/run.scope\n"},
                     {kV2 + "/user.slice/run.scope/memory.max", gib(32)},
                     {kV2 + "/user.slice/run.scope/memory.current", gib(1)},
                     {kV2 + "/user.slice/memory.max", gib(8)},
                     {kV2 + "/user.slice/memory.current", gib(3)}}
            << 8 << 5;
        // A neighbour in the slice has used it up, though the own group's limit is the smaller one.
        QTest::newRow("the least that is left under any")
            << Files{{"proc/self/cgroup", "0::/a/b\n"},
                     {kV2 + "/a/b/memory.max", gib(8)},
                     {kV2 + "/a/b/memory.current", gib(1)},
                     {kV2 + "/a/memory.max", gib(12)},
                     {kV2 + "/a/memory.current", gib(10)}}
            << 8 << 2;
        QTest::newRow("version 1, a job of SLURM")
            << Files{{"proc/self/cgroup",
                      "5:cpuset:/slurm/job_7\n4:cpu,memory:/slurm/job_7/step_0\n0::/elsewhere\n"},
                     {kV1 + "/slurm/job_7/step_0/memory.limit_in_bytes", "9223372036854771712\n"},
                     {kV1 + "/slurm/job_7/memory.limit_in_bytes", gib(20)},
                     {kV1 + "/slurm/job_7/memory.usage_in_bytes", gib(18)},
                     {kV1 + "/slurm/job_7/memory.stat", "total_inactive_file " + gib(6)}}
            << 20 << 8;
        QTest::newRow("version 1 in a container whose path is the host's")
            << Files{{"proc/self/cgroup", "9:memory:/docker/0123\n"},
                     {kV1 + "/memory.limit_in_bytes", gib(6)},
                     {kV1 + "/memory.usage_in_bytes", gib(1)}}
            << 6 << 5;
        QTest::newRow("more is used than allowed") << Files{{"proc/self/cgroup", "0::/\n"},
                                                            {kV2 + "/memory.max", gib(2)},
                                                            {kV2 + "/memory.current", gib(3)}}
                                                   << 2 << 0;
        QTest::newRow("a limit above the machine") << Files{{"proc/self/cgroup", "0::/\n"},
                                                            {kV2 + "/memory.max", gib(128)},
                                                            {kV2 + "/memory.current", gib(1)}}
                                                   << 64 << 60;
    }

    void theSmallestLimitUpTheTreeHolds() {
        QFETCH(Files, files);
        QFETCH(int, total);
        QFETCH(int, available);

        const HostMemory memory = memoryOf(files);

        QCOMPARE(memory.machine, 64 * kGiB);
        QCOMPARE(memory.total, total * kGiB);
        QCOMPARE(memory.available, available * kGiB);
    }

    void knowsThisMachine() {
        const HostMemory memory = hostMemory();
        QVERIFY(memory.available > 0 && memory.available <= memory.total);
        QVERIFY(memory.total <= memory.machine);
    }
};

LOWTIDE_TEST(HostMemoryTest)

}  // namespace host_memory_test

#include "host_memory_test.moc"
