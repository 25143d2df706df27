# Ruby's own workers: a thread, a process or a fiber each, and a pair of pipes to its master.
#
# The master writes a message to every worker and reads an answer of each, again and again.
# ruby workers.rb KIND WORKLOAD SIZE THREADS MILLISECONDS prints lines of
# WORKLOAD<TAB>METRIC<TAB>FIGURE; the threads that are told are nothing that Ruby could use.

MESSAGES = 10

def answers(input, output)
  while (line = input.gets)
    output.puts(line.to_i + 1)
    output.flush
  end
end

# Where a worker is, as its master sees it: what to write to and what to read from.
Ends = Struct.new(:to, :from, :process)

def pipes
  [IO.pipe, IO.pipe]
end

def thread_worker
  (input, to), (from, output) = pipes
  Thread.new { answers(input, output) }
  Ends.new(to, from)
end

def process_worker(others)
  (input, to), (from, output) = pipes
  process = fork do
    # Else a worker would keep the others' pipes open.
    [to, from, *others.flat_map { |worker| [worker.to, worker.from] }].each(&:close)
    answers(input, output)
    exit!
  end
  [input, output].each(&:close)
  Ends.new(to, from, process)
end

# Runs fibers until the block is over; each is resumed when its pipe has something to read.
class Fibers
  def initialize
    @waiting = {}
  end

  def start(&block)
    resume(Fiber.new(&block))
  end

  def resume(fiber, value = nil)
    pipe = fiber.resume(value)
    @waiting[pipe] = fiber if pipe.is_a?(IO)
  end

  def run
    until @waiting.empty?
      ready, = IO.select(@waiting.keys)
      ready.each { |pipe| resume(@waiting.delete(pipe)) }
    end
  end
end

def fiber_round(workers)
  fibers = Fibers.new
  received = 0
  workers.times do
    (input, to), (from, output) = pipes
    fibers.start do
      MESSAGES.times do
        Fiber.yield(input)
        output.puts(input.gets.to_i + 1)
        output.flush
      end
    end
    fibers.start do
      MESSAGES.times do |message|
        to.puts(message)
        to.flush
        Fiber.yield(from)
        received += 1 if from.gets.to_i == message + 1
      end
      [input, to, from, output].each(&:close)
    end
  end
  fibers.run
  received
end

def round(ends)
  received = 0
  MESSAGES.times do |message|
    ends.each { |worker| worker.to.puts(message); worker.to.flush }
    ends.each { |worker| received += 1 if worker.from.gets.to_i == message + 1 }
  end
  received
end

def started(kind, count)
  ends = []
  count.times { ends << (kind == "threads" ? thread_worker : process_worker(ends)) }
  ends
end

def seconds
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def cpu_seconds
  times = Process.times
  times.utime + times.stime + times.cutime + times.cstime
end

def measure(limit)
  answer = nil
  times = []
  start = seconds
  cpu = cpu_seconds
  while times.empty? || seconds - start < limit
    begin_at = seconds
    answer = yield
    times << seconds - begin_at
  end
  cpu = (cpu_seconds - cpu) / (seconds - start)
  times.sort!
  { "time" => (times[(times.size - 1) / 2] + times[times.size / 2]) / 2, "cpu" => cpu,
    "answer" => answer }
end

def peak(pid = "self")
  File.foreach("/proc/#{pid}/status") { |line| return line.split[1].to_i if line.start_with?("VmHWM") }
end

kind, workload, size, _threads, limit = ARGV
if workload == "version"
  puts RUBY_DESCRIPTION
  exit
end
abort "there is no workload #{workload}" unless workload == "workers"
size = Integer(size)
limit = Float(limit) / 1000
ends = []
figures =
  if kind == "fibers"
    measure(limit) { fiber_round(size) }
  else
    ends = started(kind, size)
    measure(limit) { round(ends) }
  end
figures["peak"] = peak + ends.sum { |worker| worker.process ? peak(worker.process) : 0 }
figures.each { |metric, figure| puts "#{workload}\t#{metric}\t#{figure}" }
